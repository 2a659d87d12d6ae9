package io.github.lockstarter.architecture;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Files of the repository, without those that a build creates and deletes meanwhile. */
final class SourceFiles {

    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Set<String> GENERATED = Set.of("target", ".git");

    private SourceFiles() {}

    static List<Path> under(Path directory, String... endings) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) {
                boolean generated = GENERATED.contains(visited.getFileName().toString());
                return generated ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (Stream.of(endings).anyMatch(file.toString()::endsWith)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
