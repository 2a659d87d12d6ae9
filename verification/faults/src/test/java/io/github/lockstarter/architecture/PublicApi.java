package io.github.lockstarter.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.LockBackend;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.io.IOException;
import java.lang.annotation.Inherited;
import java.lang.annotation.Target;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The API that docs/versions.md promises to keep, a line for each type, member, property, meter and field of the
 * endpoint. The parent's POM lists the types for the comparison with a release.
 */
final class PublicApi {

    private static final Pattern METER = Pattern.compile("\"(distributed\\.lock\\.[a-z.]+)\"");
    private static final Pattern IRRELEVANT = Pattern.compile("\\b(?:synchronized|native) ");
    private static final int VISIBLE = Modifier.PUBLIC | Modifier.PROTECTED;

    private PublicApi() {}

    static Set<String> lines() throws Exception {
        Set<String> lines = new TreeSet<>();
        types().forEach(type -> lines.addAll(of(type)));
        lines.addAll(properties());
        lines.addAll(meters());
        lines.addAll(endpoint());
        return lines;
    }

    /** {@return the top-level types} */
    static List<Class<?>> types() throws Exception {
        List<String> included = PublicationTests.texts(
                PublicationTests.pom(""), "/project/profiles/profile[id='api-baseline']//includes/include");
        Set<String> packages = Set.of(LockRequest.class.getPackageName(), LockBackend.class.getPackageName());
        return ArchitectureTests.STARTER.stream()
                .filter(type -> included.contains(type.getName())
                        || (included.contains(type.getPackageName()) && packages.contains(type.getPackageName())))
                .filter(JavaClass::isTopLevelClass)
                .<Class<?>>map(JavaClass::reflect)
                .filter(type -> Modifier.isPublic(type.getModifiers()))
                .toList();
    }

    /** {@return the lines of the type, its visible members and nested types} */
    static List<String> of(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(header(type));
        Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
                .flatMap(Arrays::stream)
                .filter(PublicApi::isVisible)
                .map(PublicApi::member)
                .forEach(lines::add);
        Class<?> parent = type.getSuperclass();
        if (parent != null && !Modifier.isPublic(parent.getModifiers())) {
            of(parent).stream().skip(1).forEach(lines::add); // callable through this type
        }
        Stream.of(type.getDeclaredClasses())
                .filter(nested -> (nested.getModifiers() & VISIBLE) != 0)
                .forEach(nested -> lines.addAll(of(nested)));
        return lines;
    }

    private static boolean isVisible(Member member) {
        return (member.getModifiers() & VISIBLE) != 0 && !member.isSynthetic();
    }

    /** As far as users depend on it: whether a type is sealed, for example, may change. */
    private static String header(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        int modifiers = type.getModifiers() & (VISIBLE | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT);
        boolean hasImplicitModifiers = type.isInterface() || type.isEnum() || type.isRecord();
        List<String> supertypes = new ArrayList<>(names(type.getGenericInterfaces()));
        if (type.getGenericSuperclass() != null) {
            supertypes.add(0, type.getGenericSuperclass().getTypeName());
        }
        Target target = type.getAnnotation(Target.class);
        return "type " + Modifier.toString(hasImplicitModifiers ? modifiers & VISIBLE : modifiers) + " " + kind + " "
                + type.getName() + parameters(type) + " : " + String.join(", ", supertypes)
                + (target == null ? "" : " on " + Arrays.toString(target.value()))
                + (type.isAnnotationPresent(Inherited.class) ? " inherited" : "");
    }

    private static String parameters(GenericDeclaration declaration) {
        return Stream.of(declaration.getTypeParameters())
                .map(parameter -> parameter + " extends " + names(parameter.getBounds()))
                .collect(Collectors.joining(", ", "<", ">"))
                .replace("<>", "");
    }

    private static List<String> names(Type[] types) {
        return Stream.of(types).map(Type::getTypeName).sorted().toList();
    }

    private static String member(Member member) {
        if (member instanceof Field field) {
            return "  " + field.toGenericString() + constant(field);
        }
        Executable executable = (Executable) member;
        String signature = IRRELEVANT.matcher(executable.toGenericString()).replaceAll("");
        Object value = executable instanceof Method method ? method.getDefaultValue() : null;
        return "  " + signature + (value == null ? "" : " = " + text(value));
    }

    /** Callers have its value in their class files. */
    private static String constant(Field field) {
        boolean inlined = field.getType().isPrimitive() || field.getType() == String.class;
        if (!inlined || !Modifier.isStatic(field.getModifiers()) || !Modifier.isFinal(field.getModifiers())) {
            return "";
        }
        try {
            return " = " + field.get(null);
        } catch (IllegalAccessException e) {
            return ""; // protected
        }
    }

    private static String text(Object value) {
        String all = Arrays.deepToString(new Object[] {value});
        return all.substring(1, all.length() - 1);
    }

    private static List<String> properties() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Map<String, Object> property : DocumentationTests.metadata()) {
            Object value = property.get("defaultValue");
            lines.add("property " + property.get("name") + " " + property.get("type")
                    + (value == null ? "" : " = " + value));
            lines.addAll(constants((String) property.get("type")));
        }
        Stream.of(DocumentationTests.named().getRecordComponents())
                .map(component -> "property distributed-lock.locks.<name>." + DocumentationTests.dashed(component) + " "
                        + component.getGenericType().getTypeName())
                .forEach(lines::add);
        return lines;
    }

    /** The values of an enumeration, which may be none of the API. */
    private static List<String> constants(String type) throws ClassNotFoundException {
        if (!type.startsWith(LockRequest.class.getPackageName())) {
            return List.of();
        }
        Object[] constants =
                Class.forName(type, false, PublicApi.class.getClassLoader()).getEnumConstants();
        return constants == null
                ? List.of()
                : Stream.of(constants)
                        .map(value -> "value " + type + " " + value)
                        .toList();
    }

    /** Names from the sources; observations have such names, too. */
    private static List<String> meters() throws Exception {
        List<String> lines = new ArrayList<>();
        for (Object meter :
                Class.forName("io.github.lockstarter.observe.LockMeter").getEnumConstants()) {
            MeterDocumentation documented = (MeterDocumentation) meter;
            lines.add("meter " + documented.getName() + " " + documented.getType());
        }
        for (Path source : published()) {
            METER.matcher(Files.readString(source))
                    .results()
                    .map(MatchResult::group)
                    .forEach(name -> lines.add("meter " + name));
        }
        return lines;
    }

    private static Collection<Path> published() throws IOException {
        return SourceFiles.under(SourceFiles.ROOT, ".java").stream()
                .filter(file -> file.toString().contains("/src/main/")
                        && !file.toString().contains("/verification/"))
                .toList();
    }

    /** Parameters of requests, and fields of responses. */
    private static List<String> endpoint() throws ClassNotFoundException {
        List<String> lines = new ArrayList<>();
        Class<?> endpoint = Class.forName("io.github.lockstarter.actuate.LocksEndpoint");
        for (Method operation : endpoint.getDeclaredMethods()) {
            if (Modifier.isPublic(operation.getModifiers())) {
                lines.add("endpoint locks " + operation.getName() + " "
                        + Stream.of(operation.getParameters())
                                .map(parameter -> parameter.getType().getName() + " " + parameter.getName())
                                .toList());
            }
        }
        addFields(endpoint, lines);
        addFields(Class.forName("io.github.lockstarter.actuate.LocksReport"), lines);
        return lines;
    }

    private static void addFields(Class<?> type, List<String> lines) {
        if (type.isRecord()) {
            Stream.of(type.getRecordComponents())
                    .map(field -> "response " + type.getSimpleName() + "." + field.getName() + " "
                            + field.getGenericType().getTypeName())
                    .forEach(lines::add);
        } else if (type.isEnum()) {
            Stream.of(type.getEnumConstants())
                    .map(value -> "response " + type.getSimpleName() + " " + value)
                    .forEach(lines::add);
        }
        Stream.of(type.getDeclaredClasses()).forEach(nested -> addFields(nested, lines));
    }

    /** {@return the lines that users can notice: gone, or a method that implementations do not have} */
    static List<String> breaks(Set<String> before, Set<String> after) {
        Stream<String> gone =
                before.stream().filter(line -> !after.contains(line)).map("gone: "::concat);
        Stream<String> demanded = after.stream()
                .filter(line -> !before.contains(line))
                .filter(line -> line.startsWith("  ") && line.contains(" abstract ") && !line.contains(" = "))
                .map("demanded: "::concat);
        return Stream.concat(gone, demanded).toList();
    }
}
