package io.github.lockstarter.architecture;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds what is wrong with an issue form, which GitHub leaves out without a word. */
final class FormCheck {

    private static final Set<String> TYPES = Set.of("checkboxes", "dropdown", "input", "markdown", "textarea");
    private static final Set<String> ATTRIBUTES =
            Set.of("description", "label", "multiple", "options", "placeholder", "render", "value");

    private FormCheck() {}

    static List<String> errors(String text) {
        YamlValue form = YamlValue.read(text);
        List<String> found = new ArrayList<>();
        for (String key : List.of("name", "description", "body")) {
            require(!form.at(key).isEmpty(), "no " + key, found);
        }
        require(Set.of("name", "description", "body", "labels").containsAll(form.keys()), "an unknown key", found);
        Set<String> used = new HashSet<>();
        for (YamlValue element : form.at("body").items()) {
            checkElement(element, used, found);
        }
        require(!used.isEmpty(), "nothing to fill in", found);
        return found;
    }

    private static void checkElement(YamlValue element, Set<String> used, List<String> found) {
        String type = element.at("type").text();
        String id = element.at("id").text();
        YamlValue attributes = element.at("attributes");
        require(TYPES.contains(type), "no type: " + type, found);
        require(Set.of("attributes", "id", "type", "validations").containsAll(element.keys()), "an unknown key", found);
        require(ATTRIBUTES.containsAll(attributes.keys()), "an unknown attribute: " + attributes.keys(), found);
        if (type.equals("markdown")) {
            require(!attributes.at("value").isEmpty(), "no text", found);
            return;
        }
        require(id.matches("[\\w-]+") && used.add(id), "no id of its own: " + id, found);
        require(
                !attributes.at("label").isEmpty()
                        && used.add(attributes.at("label").text()),
                "no label of its own: " + id,
                found);
        List<YamlValue> options = attributes.at("options").items();
        require(type.equals("dropdown") != options.isEmpty(), "options: " + id, found);
        require(new HashSet<>(options).size() == options.size(), "an option twice: " + id, found);
        require(
                Set.of("", "true", "false")
                        .contains(element.at("validations").at("required").text()),
                "no boolean: " + id,
                found);
    }

    private static void require(boolean holds, String otherwise, List<String> found) {
        if (!holds) {
            found.add(otherwise);
        }
    }
}
