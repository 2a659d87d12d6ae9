package io.github.lockstarter.demo.experiment.instance;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.PositiveOrZero;
import java.time.Duration;
import org.springframework.context.annotation.Profile;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Sets the breakpoint, or with zero takes it away and lets a section that stands still there go on. */
@RestController
@Profile("instance")
class HaltController {

    private final Halts halts;

    HaltController(Halts halts) {
        this.halts = halts;
    }

    @PostMapping("/halts")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void haltNextSection(@RequestParam @PositiveOrZero @Max(10_000) int ms) {
        if (ms == 0) {
            halts.goOn();
        } else {
            halts.haltNext(Duration.ofMillis(ms));
        }
    }
}
