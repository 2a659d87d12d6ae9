package io.github.lockstarter.faults.server;

import java.util.List;
import java.util.regex.Pattern;

/** Text fields of the flat answers of etcd's gateway. */
public final class Json {

    private Json() {}

    /**
     * The first field of a name.
     *
     * @param json an answer
     * @param name of the field
     * @return its value; empty if there is none
     */
    public static String field(String json, String name) {
        List<String> all = fields(json, name);
        return all.isEmpty() ? "" : all.get(0);
    }

    /**
     * All fields of a name.
     *
     * @param json an answer
     * @param name of the fields
     * @return their values, in the order of the answer
     */
    public static List<String> fields(String json, String name) {
        return Pattern.compile("\"" + Pattern.quote(name) + "\":\"([^\"]*)\"")
                .matcher(json)
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
