package io.github.lockstarter.kit.event;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A file of events, one line of JSON each. Added events survive a kill -9 of the process, since each is passed to the
 * operating system at once; a kill may truncate the last line. If an event is added <em>before</em> its action, no
 * action lacks its event. Thread-safe.
 */
public final class EventLog implements AutoCloseable {

    /** Not a channel, which an interrupt of the writing thread would close. */
    private final FileOutputStream file;

    /** Opens a file to append events. */
    public EventLog(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not open " + path, e);
        }
    }

    public void add(LabEvent event) {
        try {
            file.write((event.toJson() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write the event log", e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not close the event log", e);
        }
    }

    /**
     * Reads all {@code *.ndjson} files of a directory. Returns events by time, without truncated lines of killed
     * workers.
     */
    public static List<LabEvent> read(Path directory) {
        List<LabEvent> events = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".ndjson")).toList()) {
                readFile(file, events);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the event logs of " + directory, e);
        }
        events.sort((a, b) -> Long.compare(a.at(), b.at()));
        return events;
    }

    private static void readFile(Path file, List<LabEvent> events) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String line = lines.readLine();
            while (line != null) {
                String next = lines.readLine();
                if (next != null || line.endsWith("}")) {
                    events.add(LabEvent.parse(line));
                }
                line = next;
            }
        }
    }
}
