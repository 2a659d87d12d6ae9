package io.github.lockstarter.processor;

import java.lang.reflect.Field;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.tools.Diagnostic;

/**
 * Reports locked methods that no proxy can intercept, with the messages of the start of an application: private, static
 * and final ones, and those of final classes. With javac, it also reports calls of locked methods through {@code this}.
 * What some kind of proxy accepts is left to the start. Generates nothing.
 */
public final class LockAnnotationProcessor extends AbstractProcessor {

    /** {@code error}, the default, or {@code warn}. The compiler accepts no dash in the name of an option. */
    static final String OPTION = "lock.selfInvocation";

    private static final String OF_FINAL_METHOD = "the proxy is a subclass, which cannot override a final method. "
            + "Remove 'final' (in Kotlin: 'open', or the kotlin-spring plugin), or annotate single methods where the "
            + "annotation stands on the class.";

    private DeclaredLocks locks;
    private Diagnostic.Kind severity = Diagnostic.Kind.ERROR;

    /** Creates the processor, for the compiler. */
    public LockAnnotationProcessor() {}

    /** Of all classes: a lock may be that of a composed annotation or of a supertype. */
    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of("*");
    }

    @Override
    public Set<String> getSupportedOptions() {
        return Set.of(OPTION);
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public synchronized void init(ProcessingEnvironment environment) {
        super.init(environment);
        locks = new DeclaredLocks(environment.getElementUtils(), environment.getTypeUtils());
        String configured = environment.getOptions().getOrDefault(OPTION, "error");
        if (configured.equals("warn")) {
            severity = Diagnostic.Kind.WARNING;
        } else if (!configured.equals("error")) {
            environment.getMessager().printMessage(severity, OPTION + " is " + configured + ". Use error or warn.");
        }
        try {
            SelfInvocationCheck.addTo(ofCompiler(environment), locks, severity);
        } catch (IllegalArgumentException | LinkageError e) {
            return; // not javac, whose trees the check reads
        }
    }

    /** Gradle hides the environment of the compiler in one of its own. */
    private static ProcessingEnvironment ofCompiler(ProcessingEnvironment environment) {
        try {
            Field delegate = environment.getClass().getDeclaredField("delegate");
            delegate.setAccessible(true);
            return delegate.get(environment) instanceof ProcessingEnvironment hidden ? ofCompiler(hidden) : environment;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return environment;
        }
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        ElementFilter.typesIn(round.getRootElements()).forEach(this::check);
        return false;
    }

    private void check(TypeElement type) {
        boolean finalType = type.getModifiers().contains(Modifier.FINAL);
        if (finalType) {
            ElementFilter.methodsIn(processingEnv.getElementUtils().getAllMembers(type)).stream()
                    .filter(method -> !isUninterceptable(method) && locks.needSubclass(method, type))
                    .findFirst()
                    .ifPresent(method -> report(type, method, type, ofFinalType(type)));
        }
        for (ExecutableElement method : ElementFilter.methodsIn(type.getEnclosedElements())) {
            boolean annotated = locks.annotation(method, type).isPresent();
            boolean visible = annotated || method.getModifiers().contains(Modifier.PUBLIC);
            if (isUninterceptable(method)) {
                if (annotated) {
                    report(method, method, type, ofUninterceptable(method));
                }
            } else if (!finalType
                    && visible
                    && method.getModifiers().contains(Modifier.FINAL)
                    && locks.needSubclass(method, type)) {
                report(method, method, type, OF_FINAL_METHOD);
            }
        }
        ElementFilter.typesIn(type.getEnclosedElements()).forEach(this::check);
    }

    private void report(Element place, ExecutableElement method, TypeElement type, String problem) {
        processingEnv
                .getMessager()
                .printMessage(severity, locks.describe(method, type) + " cannot take effect: " + problem, place);
    }

    private static boolean isUninterceptable(ExecutableElement method) {
        return method.getModifiers().contains(Modifier.PRIVATE)
                || method.getModifiers().contains(Modifier.STATIC);
    }

    private static String ofUninterceptable(ExecutableElement method) {
        String modifier = method.getModifiers().contains(Modifier.STATIC) ? "static" : "private";
        return "a proxy does not intercept the call of a " + modifier + " method. Annotate a non-" + modifier
                + " method that other beans call, or use LockTemplate.";
    }

    private static String ofFinalType(TypeElement type) {
        return "the proxy is a subclass, and " + DeclaredLocks.shortName(type) + " is a "
                + (type.getKind() == ElementKind.RECORD ? "record" : "final class")
                + ". Make it a class that is not final (in Kotlin: 'open', or the kotlin-spring plugin), or declare "
                + "the method in an interface and set spring.aop.proxy-target-class=false.";
    }
}
