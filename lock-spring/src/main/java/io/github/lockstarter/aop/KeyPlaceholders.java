package io.github.lockstarter.aop;

import java.util.function.UnaryOperator;

/**
 * Puts the values of properties into key expressions, as texts: a value that looks like an expression is still the text
 * of the key, and never executed.
 */
final class KeyPlaceholders {

    private static final char NO_QUOTE = 0;

    private KeyPlaceholders() {}

    /**
     * The expression with a text for each placeholder: inside of quotes its characters, elsewhere a text in quotes.
     *
     * @param resolver the value of a placeholder, which it is given with its braces
     * @throws IllegalArgumentException when a placeholder has no end; the message continues a sentence about the
     *     expression
     */
    static String insert(String expression, UnaryOperator<String> resolver) {
        StringBuilder inserted = new StringBuilder(expression.length() + 16);
        char quote = NO_QUOTE;
        int at = 0;
        while (at < expression.length()) {
            char character = expression.charAt(at);
            if (expression.startsWith(Placeholders.PREFIX, at)) {
                int end = endOf(expression, at);
                inserted.append(literal(resolver.apply(expression.substring(at, end)), quote));
                at = end;
            } else {
                quote = quoteAfter(character, quote);
                inserted.append(character);
                at++;
            }
        }
        return inserted.toString();
    }

    /** A doubled quote, which stands for one character of a text, ends the text and begins it again. */
    private static char quoteAfter(char character, char quote) {
        if (quote == NO_QUOTE) {
            return character == '\'' || character == '"' ? character : NO_QUOTE;
        }
        return character == quote ? NO_QUOTE : quote;
    }

    /** In parentheses, so that it does not become one with a text beside it. */
    private static String literal(String value, char quote) {
        return quote == NO_QUOTE ? "('" + doubled(value, '\'') + "')" : doubled(value, quote);
    }

    private static String doubled(String value, char quote) {
        String one = String.valueOf(quote);
        return value.replace(one, one + one);
    }

    private static int endOf(String expression, int start) {
        int depth = 0;
        for (int i = start; i < expression.length(); i++) {
            if (expression.charAt(i) == '{') {
                depth++;
            } else if (expression.charAt(i) == '}' && --depth == 0) {
                return i + 1;
            }
        }
        throw new IllegalArgumentException("has '${' without '}'");
    }
}
