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
 * A file of events. An event that was added survives the kill -9 of the process: it is handed to the operating system
 * at once, in one piece. What the kill takes is the event that was not added yet, and at most the end of the last line.
 * So whoever adds an event <em>before</em> it acts knows that there is no act without its event. Thread-safe.
 */
public final class EventLog implements AutoCloseable {

    /** No channel: an interrupt of the thread that writes would close it for all others. */
    private final FileOutputStream file;

    /**
     * Opens a file, for more events at its end.
     *
     * @param path the file; made if there is none
     */
    public EventLog(Path path) {
        try {
            file = new FileOutputStream(path.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not open " + path, e);
        }
    }

    /**
     * Adds an event.
     *
     * @param event what happened
     */
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
     * All events of a directory's logs.
     *
     * @param directory with files {@code *.ndjson}
     * @return the events by time; the torn ends of killed workers are left out
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
