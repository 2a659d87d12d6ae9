package io.github.lockstarter.sample.labels;

import jakarta.validation.constraints.Positive;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Labels over HTTP. */
@RestController
class LabelController {

    private final LabelService labels;

    LabelController(LabelService labels) {
        this.labels = labels;
    }

    @PostMapping("/orders/{orderId}/label")
    CompletableFuture<Label> print(@PathVariable @Positive long orderId) {
        return labels.print(orderId);
    }
}
