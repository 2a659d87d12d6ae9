package io.github.lockstarter.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Numbers as texts, by the rules of Redis. */
final class Digits {

    private static final Pattern INTEGER = Pattern.compile("0|-?[1-9]\\d{0,18}");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");
    private static final Pattern HEXADECIMAL = Pattern.compile("[+-]?0[xX][0-9a-fA-F]+");
    private static final int PRECISION = 17;

    private Digits() {}

    /** An integer in the only form that Redis takes. */
    static OptionalLong integer(String text) {
        if (!INTEGER.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException tooLong) {
            return OptionalLong.empty();
        }
    }

    /** A number as C reads it. */
    static OptionalDouble decimal(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> OptionalDouble.of(Double.POSITIVE_INFINITY);
            case "-inf", "-infinity" -> OptionalDouble.of(Double.NEGATIVE_INFINITY);
            default -> {
                boolean hexadecimal = HEXADECIMAL.matcher(text).matches();
                yield hexadecimal || DECIMAL.matcher(text).matches()
                        ? OptionalDouble.of(Double.parseDouble(hexadecimal ? text + "p0" : text))
                        : OptionalDouble.empty();
            }
        };
    }

    /** Without its fraction, as C does it on x86-64, also where that is no integer of 64 bits. */
    static long truncated(double number) {
        return number >= -0x1p63 && number < 0x1p63 ? (long) number : Long.MIN_VALUE;
    }

    /** With 17 significant digits, as {@code %.17g} of C. */
    static String of(double number) {
        if (number == (long) number && Math.abs(number) < 1e17) {
            return number == 0 && 1 / number < 0 ? "-0" : Long.toString((long) number);
        }
        if (Double.isNaN(number)) {
            return "nan";
        }
        if (Double.isInfinite(number)) {
            return number > 0 ? "inf" : "-inf";
        }
        BigDecimal rounded = new BigDecimal(number)
                .round(new MathContext(PRECISION, RoundingMode.HALF_EVEN))
                .stripTrailingZeros();
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= -4 && exponent < PRECISION) {
            return rounded.toPlainString();
        }
        String mantissa = rounded.scaleByPowerOfTen(-exponent).toPlainString();
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
    }
}
