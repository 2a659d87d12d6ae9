package io.github.lockstarter.simulation.mutant;

/**
 * A method with changed behaviour.
 *
 * @param type name of its class
 * @param method its name; all methods with this name change
 */
record MethodChange(String type, String method, Behaviour behaviour) {

    String id() {
        return type + '.' + method;
    }
}
