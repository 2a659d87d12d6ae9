package io.github.lockstarter.kit.redis;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The vDSO that the kernel maps into each process: a 64-bit little-endian ELF library.
 *
 * @param start its address in the process
 */
record VirtualLibrary(long start, ByteBuffer content) {

    private static final int PROGRAM_HEADERS = 0x20;
    private static final int PROGRAM_HEADER_SIZE = 0x36;
    private static final int PROGRAM_HEADER_COUNT = 0x38;
    private static final int LOADED = 1;
    private static final int SECTION_HEADERS = 0x28;
    private static final int SECTION_HEADER_SIZE = 0x3a;
    private static final int SECTION_HEADER_COUNT = 0x3c;
    private static final int DYNAMIC_SYMBOLS = 11;
    private static final int SYMBOL_SIZE = 24;

    /** @param process directory below {@code /proc} */
    static VirtualLibrary of(Path process) throws IOException {
        String line = Files.readAllLines(process.resolve("maps")).stream()
                .filter(mapping -> mapping.endsWith("[vdso]"))
                .findFirst()
                .orElseThrow(() -> new IOException("the kernel maps no function for the time"));
        int dash = line.indexOf('-');
        long start = Long.parseUnsignedLong(line.substring(0, dash), 16);
        long end = Long.parseUnsignedLong(line.substring(dash + 1, line.indexOf(' ')), 16);
        byte[] content = new byte[(int) (end - start)];
        try (RandomAccessFile memory =
                new RandomAccessFile(process.resolve("mem").toFile(), "r")) {
            memory.seek(start);
            memory.readFully(content);
        }
        return new VirtualLibrary(start, ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN));
    }

    long addressOf(String function) throws IOException {
        return start + content.getLong(symbol(function) + 8) - firstAddress();
    }

    long sizeOf(String function) throws IOException {
        return content.getLong(symbol(function) + 16);
    }

    private int symbol(String name) throws IOException {
        int table = dynamicSymbols();
        int symbols = (int) content.getLong(table + 0x18);
        int size = (int) content.getLong(table + 0x20);
        int names = (int) content.getLong(section(content.getInt(table + 0x28)) + 0x18);
        for (int symbol = symbols; symbol < symbols + size; symbol += SYMBOL_SIZE) {
            if (nameAt(names + content.getInt(symbol)).equals(name)) {
                return symbol;
            }
        }
        throw new IOException("the kernel maps no " + name);
    }

    private int dynamicSymbols() throws IOException {
        int count = content.getShort(SECTION_HEADER_COUNT);
        for (int index = 0; index < count; index++) {
            if (content.getInt(section(index) + 4) == DYNAMIC_SYMBOLS) {
                return section(index);
            }
        }
        throw new IOException("the kernel's library names no functions");
    }

    private int section(int index) {
        return (int) content.getLong(SECTION_HEADERS) + index * content.getShort(SECTION_HEADER_SIZE);
    }

    private long firstAddress() throws IOException {
        int count = content.getShort(PROGRAM_HEADER_COUNT);
        for (int index = 0; index < count; index++) {
            int header = (int) content.getLong(PROGRAM_HEADERS) + index * content.getShort(PROGRAM_HEADER_SIZE);
            if (content.getInt(header) == LOADED) {
                return content.getLong(header + 0x10);
            }
        }
        throw new IOException("the kernel's library is nowhere loaded");
    }

    private String nameAt(int position) {
        int end = position;
        while (content.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - position];
        content.get(position, name);
        return new String(name, StandardCharsets.US_ASCII);
    }
}
