package io.github.lockstarter.simulation.mutant;

/**
 * A change of a script's file.
 *
 * @param file without its directory
 * @param text occurs once
 */
record ScriptEdit(String file, String text, String replacement) {

    /** The edited file. */
    String in(String content) {
        int at = content.indexOf(text);
        if (at < 0 || content.indexOf(text, at + 1) >= 0) {
            throw new IllegalStateException("Not exactly once in " + file + ": " + text);
        }
        return content.substring(0, at) + replacement + content.substring(at + text.length());
    }
}
