package io.github.lockstarter.simulation.mutant;

/**
 * A method that behaves in another way.
 *
 * @param type the name of its class
 * @param method its name; all methods with this name change
 * @param behaviour what it does
 */
record MethodChange(String type, String method, Behaviour behaviour) {

    String id() {
        return type + '.' + method;
    }
}
