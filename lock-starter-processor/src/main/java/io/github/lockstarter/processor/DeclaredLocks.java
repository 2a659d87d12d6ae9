package io.github.lockstarter.processor;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/**
 * Finds the locks of methods as {@code lock-spring} does: on the method or one that it overrides or implements, else on
 * a type. Annotations count by name, because the processor has no other classes than the JDK's.
 */
record DeclaredLocks(Elements elements, Types types) {

    private static final String LOCK = "io.github.lockstarter.DistributedLock";

    /** {@return the simple name of the annotation on the method, or on one that it overrides in the type} */
    Optional<String> annotation(ExecutableElement method, TypeElement type) {
        Stream<ExecutableElement> overridden = supertypes(type)
                .flatMap(supertype -> ElementFilter.methodsIn(supertype.getEnclosedElements()).stream())
                .filter(candidate -> candidate.getSimpleName().equals(method.getSimpleName())
                        && elements.overrides(method, candidate, type));
        return Stream.concat(Stream.of(method), overridden)
                .map(this::annotation)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** {@return whether the method, which others call on an object, is locked, and only by a subclass of the type} */
    boolean needSubclass(ExecutableElement method, TypeElement type) {
        return annotation(method, type).isPresent()
                ? interfaces(type).noneMatch(each -> overridesOneOf(method, each, type))
                : isLockedByType(method, type) && interfaces(type).findAny().isEmpty();
    }

    private boolean isLockedByType(ExecutableElement method, TypeElement type) {
        TypeElement lockable = method.getModifiers().contains(Modifier.PUBLIC) ? type : declaring(method);
        return Stream.concat(Stream.of(lockable), supertypes(lockable))
                        .anyMatch(each -> annotation(each).isPresent())
                && !overridesOneOf(method, elements.getTypeElement("java.lang.Object"), type);
    }

    private boolean overridesOneOf(ExecutableElement method, TypeElement other, TypeElement type) {
        return ElementFilter.methodsIn(other.getEnclosedElements()).stream()
                .anyMatch(each -> each.equals(method) || elements.overrides(method, each, type));
    }

    static TypeElement declaring(ExecutableElement method) {
        return (TypeElement) Objects.requireNonNull(method.getEnclosingElement());
    }

    /** {@return whether the caller has the lock of the called method, because it is that method or overrides it} */
    boolean isSameCall(ExecutableElement caller, ExecutableElement called) {
        return caller.equals(called) || elements.overrides(caller, called, (TypeElement) caller.getEnclosingElement());
    }

    private Stream<TypeElement> interfaces(TypeElement type) {
        return supertypes(type).filter(each -> each.getKind().isInterface());
    }

    private Stream<TypeElement> supertypes(TypeElement type) {
        Set<TypeElement> found = new LinkedHashSet<>();
        addSupertypes(type, found);
        return found.stream();
    }

    private void addSupertypes(TypeElement type, Set<TypeElement> found) {
        for (TypeMirror supertype : types.directSupertypes(type.asType())) {
            if (types.asElement(supertype) instanceof TypeElement element && found.add(element)) {
                addSupertypes(element, found);
            }
        }
    }

    private Optional<String> annotation(Element element) {
        return element.getAnnotationMirrors().stream()
                .map(mirror -> mirror.getAnnotationType().asElement())
                .filter(annotation -> isLock(annotation, new HashSet<>()))
                .map(annotation -> annotation.getSimpleName().toString())
                .findFirst();
    }

    /** Annotations may annotate each other. */
    private static boolean isLock(Element annotation, Set<Element> seen) {
        return ((TypeElement) annotation).getQualifiedName().contentEquals(LOCK)
                || (seen.add(annotation)
                        && annotation.getAnnotationMirrors().stream()
                                .anyMatch(mirror ->
                                        isLock(mirror.getAnnotationType().asElement(), seen)));
    }

    /** {@return the annotation and the method, as messages of the start name them} */
    String describe(ExecutableElement method, TypeElement type) {
        String parameters = method.getParameters().stream()
                .map(parameter -> shortName(types.erasure(parameter.asType())))
                .collect(Collectors.joining(", "));
        return "@" + annotation(method, type).orElse("DistributedLock") + " on " + shortName(declaring(method)) + "."
                + method.getSimpleName() + "(" + parameters + ")";
    }

    private static String shortName(TypeMirror erased) {
        if (erased instanceof ArrayType array) {
            return shortName(array.getComponentType()) + "[]";
        }
        return erased instanceof DeclaredType declared ? shortName(declared.asElement()) : erased.toString();
    }

    /** {@return the name of a type without that of its package} */
    static String shortName(Element type) {
        String name = type.getSimpleName().toString();
        return type.getEnclosingElement() instanceof TypeElement outer ? shortName(outer) + "." + name : name;
    }
}
