package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.GalleryState;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The gallery of broken locks. What takes time goes on after the answer; {@code GET /experiment/events} tells of it. It
 * is not played while the experiment sets up, or runs, and the other way round.
 */
@RestController
@RequestMapping("/experiment/gallery")
class GalleryController {

    private static final String ALL = "all";

    private final Experiment experiment;
    private final Gallery gallery;

    GalleryController(Experiment experiment, Gallery gallery) {
        this.experiment = experiment;
        this.gallery = gallery;
    }

    @GetMapping
    GalleryState state() {
        return gallery.state();
    }

    @PostMapping("/{id}")
    @ResponseStatus(HttpStatus.ACCEPTED)
    GalleryState play(@PathVariable String id, @RequestParam(defaultValue = "" + GalleryPlan.SEED) long seed) {
        GalleryPlan plan = new GalleryPlan(exhibits(id), seed, 1);
        experiment.occupy();
        try {
            gallery.play(plan).whenComplete((done, failure) -> experiment.vacate());
        } catch (RuntimeException notBegun) {
            experiment.vacate();
            throw notBegun;
        }
        return gallery.state();
    }

    @DeleteMapping("/current")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void cancel() {
        gallery.cancel();
    }

    @ExceptionHandler
    ProblemDetail conflict(ConflictException refusal) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, refusal.getMessage());
    }

    private static List<Exhibit> exhibits(String id) {
        if (id.equals(ALL)) {
            return List.of(Exhibit.values());
        }
        return List.of(KebabCase.find(Exhibit.class, id)
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no exhibit '" + id + "'")));
    }
}
