package io.github.lockstarter.simulation.redis;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection to a real server that reads its replies as they are. */
final class RespConnection implements AutoCloseable {

    private final Socket socket;
    private final InputStream input;

    RespConnection(RedisServer server) {
        try {
            socket = new Socket(server.uri().getHost(), server.uri().getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) Patience.TIME.toMillis());
            input = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command, and waits for its reply. */
    Reply execute(List<String> command) {
        send(command);
        return receive();
    }

    void send(List<String> command) {
        StringBuilder request = new StringBuilder("*" + command.size() + "\r\n");
        for (String word : command) {
            request.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        try {
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the next reply or message. */
    Reply receive() {
        try {
            String line = line();
            String rest = line.substring(1);
            return switch (line.charAt(0)) {
                case '+' -> new Reply.Status(rest);
                case '-' -> new Reply.Failure(rest);
                case ':' -> new Reply.Numeric(Long.parseLong(rest));
                case '$' -> rest.equals("-1") ? Reply.NIL : text(Integer.parseInt(rest));
                case '*' -> rest.equals("-1") ? Reply.NIL : several(Integer.parseInt(rest));
                default -> throw new IllegalStateException("No reply: " + line);
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Reply several(int count) {
        List<Reply> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(receive());
        }
        return new Reply.Several(parts);
    }

    private Reply text(int length) throws IOException {
        byte[] bytes = input.readNBytes(length + 2);
        return new Reply.Text(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\r'; next = input.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.append((char) next);
        }
        input.read();
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
