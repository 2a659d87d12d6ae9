package io.github.lockstarter.demo.experiment.web;

import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.github.lockstarter.demo.experiment.Experiment;
import io.github.lockstarter.demo.gallery.Gallery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** Who may control the experiment. */
class LocalAccessTests {

    private final MockMvc http = http(true);

    @ParameterizedTest
    @ValueSource(strings = {"localhost:8080", "localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]:8080"})
    void acceptsHostNamesOfThisMachine(String host) throws Exception {
        http.perform(request(host)).andExpect(status().isOk());
    }

    /** The first is DNS rebinding: the name of a stranger that points to this machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example:8080",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "localhost:8080@evil",
                ""
            })
    void refusesAnyOtherName(String host) throws Exception {
        http.perform(request(host))
                .andExpect(status().isForbidden())
                .andExpect(status().reason(containsString("Open it there, as http://localhost:")));
    }

    @Test
    void refusesARequestWithoutAHostHeader() throws Exception {
        http.perform(get("/experiment")).andExpect(status().isForbidden());
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 200", "::1, 200", "0:0:0:0:0:0:0:1, 200", "192.0.2.7, 403", "2001:db8::7, 403"})
    void acceptsOnlyConnectionsFromThisMachine(String address, int status) throws Exception {
        http.perform(request("localhost:8080").with(request -> {
                    request.setRemoteAddr(address);
                    return request;
                }))
                .andExpect(status().is(status));
    }

    @Test
    void acceptsRequestsOfThePage() throws Exception {
        http.perform(request("localhost:8080")
                        .header("Sec-Fetch-Site", "same-origin")
                        .header(HttpHeaders.ORIGIN, "http://localhost:8080"))
                .andExpect(status().isOk());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site"})
    void refusesRequestsOfAnotherSite(String site) throws Exception {
        http.perform(request("localhost:8080").header("Sec-Fetch-Site", site))
                .andExpect(status().isForbidden())
                .andExpect(status().reason(containsString("Another site asks for that")));
    }

    /** A form or a fetch without a body is sent without asking the server first (no preflight). */
    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "http://localhost:3000", "null"})
    void refusesAnEmptyPostFromAnotherOrigin(String origin) throws Exception {
        http.perform(post("/experiment/faults/kill-holder")
                        .header(HttpHeaders.HOST, "localhost:8080")
                        .header(HttpHeaders.ORIGIN, origin))
                .andExpect(status().isForbidden());
    }

    @Test
    void refusesEveryoneWhenDisabled() throws Exception {
        http(false)
                .perform(request("localhost:8080"))
                .andExpect(status().isForbidden())
                .andExpect(status().reason(containsString("demo.experiment.enabled=true")));
    }

    private static MockHttpServletRequestBuilder request(String host) {
        return get("/experiment").header(HttpHeaders.HOST, host);
    }

    private static MockMvc http(boolean enabled) {
        LiveEvents events = new LiveEvents();
        return MockMvcBuilders.standaloneSetup(
                        new ExperimentController(new Experiment(events), new Gallery(events), events))
                .addInterceptors(new LocalAccess(new ExperimentProperties(enabled)))
                .build();
    }
}
