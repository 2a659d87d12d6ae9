package io.github.lockstarter.simulation.mutant;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A product in which one rule is switched off.
 *
 * @param name of the mutant
 * @param rule that is switched off, as one sentence
 * @param invariants that the rule protects: a violation of any other one says nothing
 * @param edits of scripts
 * @param changes of methods
 */
record Mutant(String name, String rule, Set<String> invariants, List<ScriptEdit> edits, List<MethodChange> changes) {

    /** A mutant without any change. */
    static Mutant named(String name, String rule, String... invariants) {
        return new Mutant(name, rule, Set.of(invariants), List.of(), List.of());
    }

    /** The same with one edit more: in a file, a text that occurs there once. */
    Mutant editing(String file, String text, String replacement) {
        List<ScriptEdit> more = new ArrayList<>(edits);
        more.add(new ScriptEdit(file, text, replacement));
        return new Mutant(name, rule, invariants, List.copyOf(more), changes);
    }

    /** The same with a method more that behaves in another way. */
    Mutant changing(String type, String method, Behaviour behaviour) {
        List<MethodChange> more = new ArrayList<>(changes);
        more.add(new MethodChange("io.github.lockstarter." + type, method, behaviour));
        return new Mutant(name, rule, invariants, edits, List.copyOf(more));
    }

    @Override
    public String toString() {
        return name;
    }
}
