package io.github.lockstarter.demo.gallery;

/** The gallery cannot do that just now; the message says what to do first. */
public final class GalleryConflictException extends RuntimeException {

    GalleryConflictException(String message) {
        super(message);
    }
}
