package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;

/** Receives the events of the gallery, on threads that it must not block. */
public interface GalleryListener {

    /**
     * The state has changed.
     *
     * @param state what it is now
     */
    default void galleryChanged(GalleryState state) {}

    /**
     * An exhibit was played to its end.
     *
     * @param result what became of it
     */
    default void played(ExhibitResult result) {}
}
