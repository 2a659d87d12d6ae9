package io.github.lockstarter.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a command of Maven may name.
 *
 * @param modules paths of the modules
 * @param poms text of all POMs
 * @param sources paths of all Java and Kotlin files
 */
record MavenBuild(Set<String> modules, String poms, List<String> sources) {

    private static final Pattern MODULE = Pattern.compile("<module>(.+?)</module>");
    private static final Pattern COMMAND =
            Pattern.compile("^ *(?:mvn|\\.ci/run|\\.ci/starved)\\b(.*)$", Pattern.MULTILINE);
    private static final Set<String> WORDS = Set.of("", "-B", "-T1", "-V", "-ntp", "-am", "-pl", "deploy", "verify");

    /** Of Maven's plugins. */
    private static final Set<String> PROPERTIES = Set.of(
            "altDeploymentRepository",
            "failsafe.failIfNoSpecifiedTests",
            "gpg.signer",
            "gpg.skip",
            "maven.install.skip",
            "maven.test.skip",
            "skipITs",
            "surefire.failIfNoSpecifiedTests");

    static MavenBuild read() throws IOException {
        StringBuilder poms = new StringBuilder();
        for (Path pom : SourceFiles.under(SourceFiles.ROOT, "pom.xml")) {
            poms.append(Files.readString(pom));
        }
        Set<String> modules =
                MODULE.matcher(poms).results().map(module -> module.group(1)).collect(Collectors.toSet());
        List<String> sources = SourceFiles.under(SourceFiles.ROOT, ".java", ".kt").stream()
                .map(file -> SourceFiles.ROOT.relativize(file).toString().replace('\\', '/'))
                .toList();
        return new MavenBuild(modules, poms.toString(), sources);
    }

    /** Words of the script's commands that mean nothing in this build. */
    List<String> unknownWords(String script) throws IOException {
        List<String> unknown = new ArrayList<>();
        String oneLine = script.replaceAll("\\\\\n *", " ").replaceAll("\\$\\([^)]*\\)", "x");
        for (var command : COMMAND.matcher(oneLine).results().toList()) {
            String before = "";
            for (String word : command.group(1).replaceAll("[\"']", "").split(" +", -1)) {
                if (!(before.equals("-pl") ? modules.containsAll(List.of(word.split(",", -1))) : isKnown(word))) {
                    unknown.add(word);
                }
                before = word;
            }
        }
        return unknown;
    }

    private boolean isKnown(String word) throws IOException {
        if (word.startsWith("-P")) {
            return Pattern.compile("<profile>\\s*<id>" + Pattern.quote(word.substring(2)) + "</id>")
                    .matcher(poms)
                    .find();
        }
        if (word.startsWith("-Dtest=") || word.startsWith("-Dit.test=")) {
            return List.of(word.substring(word.indexOf('=') + 1).split(",", -1)).stream()
                    .allMatch(test -> test.equals("none") || hasTest(test));
        }
        if (word.startsWith("-D")) {
            String property = word.substring(2).replaceAll("=.*", "");
            return PROPERTIES.contains(property) || isRead(property);
        }
        return WORDS.contains(word) || word.startsWith("$");
    }

    private boolean hasTest(String pattern) {
        String path = ".*/" + pattern.replace("**/", "").replace("*", "[^/]*") + "\\.(java|kt)";
        return sources.stream().anyMatch(source -> source.matches(path));
    }

    private boolean isRead(String property) throws IOException {
        if (poms.contains("${" + property + "}")) {
            return true;
        }
        Pattern reads = Pattern.compile("get(?:Boolean|Integer|Long|Property)\\(\"" + Pattern.quote(property) + '"');
        for (String source : sources) {
            if (reads.matcher(Files.readString(SourceFiles.ROOT.resolve(source)))
                    .find()) {
                return true;
            }
        }
        return false;
    }
}
