package io.github.lockstarter.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Assigns one number to equal values, and the numbers of their mirror images. */
public final class Interned<T> {

    private final Map<T, Integer> numbers = new HashMap<>();
    private final List<T> values = new ArrayList<>();
    private final List<Integer> mirrors = new ArrayList<>();
    private final UnaryOperator<T> mirroring;

    public Interned(UnaryOperator<T> mirroring) {
        this.mirroring = mirroring;
    }

    public int numberOf(T value) {
        Integer known = numbers.get(value);
        if (known != null) {
            return known;
        }
        numbers.put(value, values.size());
        values.add(value);
        return values.size() - 1;
    }

    int mirrorOf(int number) {
        while (mirrors.size() <= number) {
            mirrors.add(numberOf(mirroring.apply(values.get(mirrors.size()))));
        }
        return mirrors.get(number);
    }

    public T value(int number) {
        return values.get(number);
    }
}
