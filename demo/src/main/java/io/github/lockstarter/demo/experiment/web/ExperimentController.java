package io.github.lockstarter.demo.experiment.web;

import io.github.lockstarter.demo.ConflictException;
import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.experiment.ExperimentState;
import io.github.lockstarter.demo.experiment.deployment.DeploymentPlan;
import io.github.lockstarter.demo.experiment.deployment.LockTopology;
import io.github.lockstarter.demo.experiment.pageview.Variant;
import io.github.lockstarter.demo.experiment.run.RunEvent;
import io.github.lockstarter.demo.experiment.run.RunFault;
import io.github.lockstarter.demo.experiment.run.RunPlan;
import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.GalleryState;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The controls of the experiment and the gallery. Long operations continue after the answer; {@code GET
 * /experiment/events} reports their progress.
 */
@RestController
@RequestMapping("/experiment")
class ExperimentController {

    private static final String ALL = "all";

    private final Experiment experiment;
    private final Gallery gallery;
    private final LiveEvents events;

    ExperimentController(Experiment experiment, Gallery gallery, LiveEvents events) {
        this.experiment = experiment;
        this.gallery = gallery;
        this.events = events;
    }

    /** @param topology place of the locks of v3 */
    record DeploymentRequest(
            @NotNull @Min(1) @Max(DeploymentPlan.MOST_INSTANCES)
            Integer instances,

            @NotNull String topology) {}

    /**
     * @param requests sent at once
     * @param chaos whether to inject {@link RunFault#CHAOS}
     * @param fault a single fault instead
     */
    record RunRequest(
            @NotNull String variant,
            @NotNull @Min(1) @Max(RunPlan.MOST_REQUESTS) Integer requests,
            @Nullable Boolean chaos,
            @Nullable String fault) {}

    @GetMapping
    ExperimentState state() {
        return experiment.state();
    }

    @PutMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    ExperimentState setUp(@Valid @RequestBody DeploymentRequest request) {
        LockTopology topology = KebabCase.find(LockTopology.class, request.topology())
                .orElseThrow(
                        () -> wrong(HttpStatus.BAD_REQUEST, "topology is one of " + KebabCase.all(LockTopology.class)));
        experiment.setUp(new DeploymentPlan(request.instances(), topology));
        return experiment.state();
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    ExperimentState takeDown() {
        experiment.takeDown();
        return experiment.state();
    }

    @PostMapping("/runs")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ExperimentState run(@Valid @RequestBody RunRequest request) {
        Variant variant = KebabCase.find(Variant.class, request.variant())
                .orElseThrow(() -> wrong(HttpStatus.BAD_REQUEST, "variant is one of v0, v1, v2, v3, v4"));
        experiment.run(variant, request.requests(), faultsOf(request));
        return experiment.state();
    }

    private static List<RunFault> faultsOf(RunRequest request) {
        if (request.fault() == null) {
            return Boolean.TRUE.equals(request.chaos()) ? RunFault.CHAOS : List.of();
        }
        return List.of(KebabCase.find(RunFault.class, request.fault())
                .orElseThrow(() -> wrong(HttpStatus.BAD_REQUEST, "There is no fault '" + request.fault() + "'")));
    }

    @DeleteMapping("/runs/current")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void cancel() {
        experiment.cancelRun();
    }

    @PostMapping("/faults/{fault}")
    RunEvent.Interference fault(
            @PathVariable String fault,
            @RequestParam(name = "for", defaultValue = "8s")
                    @DurationFormat(style = DurationFormat.Style.SIMPLE)
                    @DurationMin(millis = 100)
                    @DurationMax(seconds = 30)
                    Duration pause) {
        RunFault known = KebabCase.find(RunFault.class, fault)
                .orElseThrow(() -> wrong(HttpStatus.NOT_FOUND, "There is no fault '" + fault + "'"));
        return experiment.perform(known, pause);
    }

    @GetMapping("/gallery")
    GalleryState gallery() {
        return gallery.state();
    }

    /** The gallery and the experiment exclude each other while one of them is busy. */
    @PostMapping("/gallery/{id}")
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

    @DeleteMapping("/gallery/current")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void cancelGallery() {
        gallery.cancel();
    }

    private static List<Exhibit> exhibits(String id) {
        if (id.equals(ALL)) {
            return List.of(Exhibit.values());
        }
        return List.of(KebabCase.find(Exhibit.class, id)
                .orElseThrow(() -> wrong(HttpStatus.NOT_FOUND, "There is no exhibit '" + id + "'")));
    }

    @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter events() {
        SseEmitter emitter = new SseEmitter(0L);
        events.subscribe(experiment, gallery, emitter);
        return emitter;
    }

    @ExceptionHandler
    ProblemDetail conflict(ConflictException refusal) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, refusal.getMessage());
    }

    private static ResponseStatusException wrong(HttpStatus status, String detail) {
        return new ResponseStatusException(status, detail);
    }
}
