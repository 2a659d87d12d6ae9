package io.github.lockstarter.demo.experiment.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.gallery.Gallery;
import io.github.lockstarter.demo.gallery.GalleryPlan;
import io.github.lockstarter.demo.gallery.GalleryState;
import io.github.lockstarter.demo.gallery.exhibit.Exhibit;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter.DataWithMediaType;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Events and rejections. {@code GalleryIT} tests the exhibits. */
class GalleryHttpTests {

    private final LiveEvents events = new LiveEvents();
    private final Experiment experiment = new Experiment(events);
    private final Gallery gallery = new Gallery(events);
    private final MockMvc http = MockMvcBuilders.standaloneSetup(new ExperimentController(experiment, gallery, events))
            .build();

    @AfterEach
    void end() {
        gallery.close();
        events.endStreams();
    }

    @Test
    void listsTheExhibits() throws Exception {
        http.perform(get("/experiment/gallery"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.seed").value(2026))
                .andExpect(jsonPath("$.running").hasJsonPath())
                .andExpect(jsonPath("$.exhibits.length()").value(Exhibit.values().length))
                .andExpect(jsonPath("$.exhibits[1].id").value("setnx"))
                .andExpect(jsonPath("$.exhibits[1].title").value("SETNX without an expiry"))
                .andExpect(jsonPath("$.results").isEmpty());
    }

    @Test
    void refusesAnUnknownExhibit() throws Exception {
        http.perform(post("/experiment/gallery/mutex")).andExpect(status().isNotFound());
        http.perform(delete("/experiment/gallery/current")).andExpect(status().isConflict());
    }

    @Test
    void runsOneExhibitAndRefusesOtherRunsMeanwhile() throws Exception {
        http.perform(post("/experiment/gallery/setnx?seed=7"))
                .andExpect(status().isAccepted())
                .andExpect(jsonPath("$.running").value("setnx"))
                .andExpect(jsonPath("$.seed").value(7));

        http.perform(post("/experiment/gallery/all"))
                .andExpect(status().isConflict())
                .andExpect(jsonPath("$.detail").value(containsString("The gallery plays")));
        http.perform(put("/experiment")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"instances\":1,\"topology\":\"standalone\"}"))
                .andExpect(status().isConflict());

        http.perform(delete("/experiment/gallery/current")).andExpect(status().isAccepted());
        await().until(() -> gallery.state().running() == null);
        assertThat(gallery.state().failure()).isNull();
        assertThat(gallery.state().results()).isEmpty();
    }

    @Test
    void isRefusedDuringAnotherRun() throws Exception {
        experiment.occupy();

        http.perform(post("/experiment/gallery/incr")).andExpect(status().isConflict());

        experiment.vacate();
        assertThat(gallery.state().running()).isNull();
    }

    @Test
    void notifiesListenersOfEachChange() {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        events.subscribe(experiment, gallery, new SseEmitter() {
            @Override
            public void send(SseEventBuilder event) {
                event.build().stream()
                        .map(DataWithMediaType::getData)
                        .forEach(data -> received.add(
                                data instanceof GalleryState state ? "running " + state.running() : data.toString()));
            }
        });
        await().untilAsserted(() -> assertThat(received).anyMatch(text -> text.contains("event:gallery")));

        gallery.play(new GalleryPlan(List.of(Exhibit.INCR), 1, 1));

        await().untilAsserted(() -> assertThat(received).contains("running incr"));
    }
}
