package io.github.lockstarter.demo.gallery;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the gallery stands.
 *
 * @param seed of what is played, or was played last
 * @param running the exhibit that is played, if one is
 * @param failure why the last one could not be played, if that is so
 * @param exhibits all there are, in their order
 * @param results the newest of each exhibit that was played, in their order
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record GalleryState(
        long seed,
        @Nullable String running,
        @Nullable String failure,
        List<ExhibitView> exhibits,
        List<ExhibitResult> results) {

    /**
     * An exhibit.
     *
     * @param id short name
     * @param description the same in words
     */
    public record ExhibitView(String id, @JsonUnwrapped Exhibit.Description description) {

        static List<ExhibitView> all() {
            return Arrays.stream(Exhibit.values())
                    .map(exhibit -> new ExhibitView(exhibit.id(), exhibit.description()))
                    .toList();
        }
    }
}
