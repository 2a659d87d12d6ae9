package io.github.lockstarter.demo.experiment.web;

import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.put;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.gallery.Gallery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** Requests that are rejected before anything starts. {@code ExperimentIT} tests the start. */
class ExperimentControllerTests {

    private final LiveEvents events = new LiveEvents();
    private final MockMvc http = MockMvcBuilders.standaloneSetup(
                    new ExperimentController(new Experiment(events), new Gallery(events), events))
            .build();

    @Test
    void reportsThatNothingIsSetUp() throws Exception {
        http.perform(get("/experiment"))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.phase").value("absent"))
                .andExpect(jsonPath("$.variants[0].name").value("INCR"))
                .andExpect(jsonPath("$.variants[4].name").value("Redlock"))
                .andExpect(jsonPath("$.run").hasJsonPath())
                .andExpect(jsonPath("$.results").isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"instances\":0,\"topology\":\"standalone\"}",
                "{\"instances\":2,\"topology\":\"ring\"}",
                "{\"topology\":\"cluster\"}"
            })
    void refusesAnImpossibleSetUp(String body) throws Exception {
        http.perform(put("/experiment").contentType(MediaType.APPLICATION_JSON).content(body))
                .andExpect(status().isBadRequest());
    }

    @Test
    void refusesARunBeforeTheSetUp() throws Exception {
        http.perform(post("/experiment/runs")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"variant\":\"v3\",\"requests\":10}"))
                .andExpect(status().isConflict())
                .andExpect(jsonPath("$.detail").value(containsString("Set it up first")));
    }

    @Test
    void refusesAnUnknownFaultDuringARun() throws Exception {
        http.perform(post("/experiment/runs")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"variant\":\"v3\",\"requests\":10,\"fault\":\"set-fire\"}"))
                .andExpect(status().isBadRequest());
    }

    @Test
    void tearDownSucceedsWhenNothingIsSetUp() throws Exception {
        http.perform(delete("/experiment"))
                .andExpect(status().isAccepted())
                .andExpect(jsonPath("$.phase").value("absent"));
    }

    @Test
    void refusesAFaultWithoutARun() throws Exception {
        http.perform(post("/experiment/faults/kill-holder"))
                .andExpect(status().isConflict())
                .andExpect(jsonPath("$.detail").value(containsString("No run is under way")));
        http.perform(post("/experiment/faults/set-fire")).andExpect(status().isNotFound());
        http.perform(delete("/experiment/runs/current")).andExpect(status().isConflict());
    }
}
