package io.github.lockstarter.simulation.mutant;

/**
 * Other words in a file of a script.
 *
 * @param file without its folder
 * @param text occurs once
 * @param replacement stands there instead
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
