package io.github.lockstarter.demo.gallery;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import io.github.lockstarter.demo.gallery.exhibit.ExhibitResult;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the gallery.
 *
 * @param seed of the current or last plan
 * @param running the current exhibit, if any
 * @param failure why the last plan failed, if it did
 * @param results the latest result of each exhibit
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record GalleryState(
        long seed,
        @Nullable String running,
        @Nullable String failure,
        List<ExhibitView> exhibits,
        List<ExhibitResult> results) {

    public record ExhibitView(String id, @JsonUnwrapped Exhibit.Description description) {

        static List<ExhibitView> all() {
            return Arrays.stream(Exhibit.values())
                    .map(exhibit -> new ExhibitView(exhibit.id(), exhibit.description()))
                    .toList();
        }
    }
}
