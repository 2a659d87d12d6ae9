package io.github.lockstarter.aop.testing;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The source of a bean class {@code C} and its supertypes, with both annotations at one place. Javac compiles it, and a
 * call through each type: bridge methods, copied annotations and the descriptors of calls are those of an application.
 *
 * @param name of its package
 * @param lines one type each
 */
record BeanSource(String name, Hierarchy hierarchy, List<String> lines) {

    /** As {@code Effort} reads it, which the application on the older Boot line does not have. */
    static final boolean IS_FULL = Boolean.getBoolean("lock.test.full");

    private static final String ROOT = "generated";
    private static final Pattern TYPE = Pattern.compile("(?:class|interface) (\\w)(<T>)?");
    private static final String ANNOTATIONS = "@io.github.lockstarter.DistributedLock(name = \"cell\", key = \"#x\")"
            + " @org.springframework.transaction.annotation.Transactional";
    private static final String COMPOSED = "@" + ROOT + ".Both";

    /**
     * Each place of each hierarchy. The simplest one has each visibility, and an annotation that is composed of both;
     * the others have them with {@code -Pfull}.
     */
    static List<BeanSource> all() {
        List<BeanSource> all = new ArrayList<>();
        for (Hierarchy hierarchy : Hierarchy.values()) {
            boolean whole = hierarchy == Hierarchy.CLASS;
            for (String visibility : first(hierarchy.visibilities(), whole)) {
                boolean hidden = !visibility.equals(hierarchy.visibilities().get(0));
                List<String> annotations = hidden ? List.of(ANNOTATIONS) : List.of(ANNOTATIONS, COMPOSED);
                for (int place = 0; place < hierarchy.places(); place++) {
                    for (String annotation : first(annotations, whole)) {
                        String text = annotated(hierarchy.text(), place, annotation)
                                .replace("VIS ", visibility)
                                .replace("BODY", "{ " + BodyObservation.class.getName() + ".note(); return x; }");
                        all.add(new BeanSource(
                                "v" + all.size(), hierarchy, text.lines().toList()));
                    }
                }
            }
        }
        return all;
    }

    private static List<String> first(List<String> all, boolean whole) {
        return whole || IS_FULL ? all : all.subList(0, 1);
    }

    private static String annotated(String text, int place, String annotation) {
        String[] parts = text.split("#", -1);
        return Stream.iterate(0, i -> i < parts.length, i -> i + 1)
                .map(i -> parts[i] + (i == place ? annotation : ""))
                .collect(Collectors.joining());
    }

    /** The loader of the compiled sources. */
    static ClassLoader compile(List<BeanSource> sources, Path directory) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        List<String> options =
                List.of("-d", directory.toString(), "-cp", classPath(), "-parameters", "-proc:none", "-nowarn");
        List<JavaFileObject> files = new ArrayList<>();
        files.add(file(
                ROOT,
                "Both",
                "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) " + ANNOTATIONS
                        + " public @interface Both {}"));
        sources.forEach(source -> source.addFiles(files));
        if (!compiler.getTask(problems, null, null, options, null, files).call()) {
            throw new IllegalStateException(problems.toString());
        }
        return new URLClassLoader(new URL[] {directory.toUri().toURL()}, BeanSource.class.getClassLoader());
    }

    private static String classPath() {
        return Stream.of(
                        "io.github.lockstarter.DistributedLock",
                        "org.springframework.transaction.annotation.Transactional",
                        "org.springframework.core.annotation.AliasFor",
                        "org.springframework.aot.hint.annotation.Reflective",
                        BodyObservation.class.getName())
                .map(BeanSource::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String location(String type) {
        try {
            return Path.of(Class.forName(type)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void addFiles(List<JavaFileObject> files) {
        StringBuilder calls = new StringBuilder();
        for (String line : lines) {
            Matcher type = TYPE.matcher(line);
            if (!type.find()) {
                throw new IllegalStateException(line);
            }
            files.add(file(ROOT + '.' + name, type.group(1), line));
            String called = type.group(1) + (type.group(2) == null ? "" : "<CharSequence>");
            calls.append("public static void ")
                    .append(type.group(1))
                    .append("(Object bean) { ((")
                    .append(called)
                    .append(") bean).run(\"x\"); }\n");
        }
        files.add(file(ROOT + '.' + name, "Calls", "public class Calls {\n" + calls + "}"));
    }

    private static JavaFileObject file(String inPackage, String type, String text) {
        URI uri = URI.create("string:///" + inPackage.replace('.', '/') + '/' + type + ".java");
        return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return "package " + inPackage + ";\n" + text;
            }
        };
    }

    boolean inheritsTheMethod() {
        return !lines.get(lines.size() - 1).contains(" run(");
    }

    Class<?> beanClass(ClassLoader loader) {
        return load("C", loader);
    }

    private Class<?> load(String type, ClassLoader loader) {
        try {
            return Class.forName(ROOT + '.' + name + '.' + type, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the body observes when it is called through each type that the bean has. */
    Map<String, BodyObservation> call(Object bean, ClassLoader loader) {
        Map<String, BodyObservation> observed = new TreeMap<>();
        for (String line : lines) {
            Matcher type = TYPE.matcher(line);
            if (type.find() && load(type.group(1), loader).isInstance(bean)) {
                observed.put(type.group(1), call(bean, load("Calls", loader), type.group(1)));
            }
        }
        return observed;
    }

    private static BodyObservation call(Object bean, Class<?> calls, String type) {
        int before = BodyObservation.last().runs();
        try {
            calls.getMethod(type, Object.class).invoke(null, bean);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
        if (BodyObservation.last().runs() != before + 1) {
            throw new IllegalStateException("the body did not run once");
        }
        return BodyObservation.last();
    }

    @Override
    public String toString() {
        return hierarchy + ": "
                + String.join(" ", lines)
                        .replace(ANNOTATIONS, "@Direct")
                        .replace(COMPOSED, "@Composed")
                        .replaceAll("\\{ [\\w.]+note\\(\\); return x; \\}", "{…}");
    }
}
