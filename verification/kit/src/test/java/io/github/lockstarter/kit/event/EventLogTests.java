package io.github.lockstarter.kit.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTests {

    @TempDir
    private Path directory;

    private final LabEvent first = LabEvent.at(EventKind.ACQUIRED, "w1.1", -7)
            .of("hot:0", 42)
            .between(-20, 30)
            .counting(5)
            .noting("a \"quoted\" \\ word\n");
    private final LabEvent second = LabEvent.at(EventKind.ENDED, "w1.1", 3);

    @Test
    void keepsEventsOfInterruptedThreads() {
        LabEvent event = LabEvent.now(EventKind.ENDED, "w1.1");
        try (EventLog log = new EventLog(directory.resolve("w1.1.ndjson"))) {
            Thread.currentThread().interrupt();
            log.add(event);
            assertThat(Thread.interrupted()).isTrue();
            log.add(event);
        }
        assertThat(EventLog.read(directory)).containsExactly(event, event);
    }

    @Test
    void readsWrittenEvents() {
        try (EventLog log = new EventLog(directory.resolve("a.ndjson"))) {
            log.add(second);
            log.add(first);
        }
        assertThat(EventLog.read(directory)).containsExactly(first, second);
        assertThat(first.note()).isEqualTo("a 'quoted' ' word'");
    }

    @Test
    void ignoresTheTruncatedLastLineOfAKilledWorker() throws IOException {
        try (EventLog log = new EventLog(directory.resolve("a.ndjson"))) {
            log.add(first);
        }
        Files.writeString(directory.resolve("a.ndjson"), "{\"kind\":\"ACQ", StandardOpenOption.APPEND);
        assertThat(EventLog.read(directory)).containsExactly(first);
    }

    @Test
    void refusesATruncatedLineInTheMiddle() throws IOException {
        Files.writeString(directory.resolve("a.ndjson"), "{\"kind\":\"ACQ\n" + second.toJson() + "\n");
        assertThatThrownBy(() -> EventLog.read(directory)).hasMessageContaining("Torn line");
    }
}
