package io.github.lockstarter.demo.gallery;

import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;

/** Receives events of the gallery; must not block the calling threads. */
public interface GalleryListener {

    default void galleryChanged(GalleryState state) {}

    default void played(ExhibitResult result) {}
}
