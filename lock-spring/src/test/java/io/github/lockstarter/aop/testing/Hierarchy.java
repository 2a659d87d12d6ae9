package io.github.lockstarter.aop.testing;

import java.util.List;

/**
 * The types of a bean class {@code C}, one a line. The annotations stand at one of the {@code #}. {@code VIS} is each
 * visibility, and {@code BODY} is a body.
 */
enum Hierarchy {
    CLASS("# public class C { # VIS Object run(CharSequence x) BODY }"),
    FINAL_METHOD("# public class C { # public final Object run(CharSequence x) BODY }"),
    OVERRIDDEN("""
            # public class B { # VIS Object run(CharSequence x) BODY }
            # public class C extends B { # VIS Object run(CharSequence x) BODY }"""),
    ABSTRACT("""
            # public abstract class B { # VIS abstract Object run(CharSequence x); }
            # public class C extends B { # VIS Object run(CharSequence x) BODY }"""),
    INHERITED("""
            # public class B { # VIS Object run(CharSequence x) BODY }
            # public class C extends B {}"""),
    INHERITED_FROM_HIDDEN_CLASS("""
            # abstract class B { # VIS Object run(CharSequence x) BODY }
            # public class C extends B {}"""),
    INTERFACE("""
            # public interface I { # Object run(CharSequence x); }
            # public class C implements I { # public Object run(CharSequence x) BODY }"""),
    HIDDEN_INTERFACE("""
            # interface I { # Object run(CharSequence x); }
            # public class C implements I { # public Object run(CharSequence x) BODY }"""),
    COVARIANT("""
            # public interface I { # Object run(CharSequence x); }
            # public class C implements I { # public CharSequence run(CharSequence x) BODY }"""),
    DEFAULT_METHOD("""
            # public interface I { # default Object run(CharSequence x) BODY }
            # public class C implements I {}"""),
    OVERRIDDEN_DEFAULT_METHOD("""
            # public interface I { # default Object run(CharSequence x) BODY }
            # public interface J extends I { # default Object run(CharSequence x) BODY }
            # public class C implements J {}"""),
    SUPER_INTERFACE("""
            # public interface I { # Object run(CharSequence x); }
            # public interface J extends I {}
            # public class C implements J { # public Object run(CharSequence x) BODY }"""),
    REDECLARED("""
            # public interface I { # Object run(CharSequence x); }
            # public interface J extends I { # Object run(CharSequence x); }
            # public class C implements J { # public Object run(CharSequence x) BODY }"""),
    TWO_INTERFACES("""
            # public interface I { # Object run(CharSequence x); }
            # public interface J { # Object run(CharSequence x); }
            # public class C implements I, J { # public Object run(CharSequence x) BODY }"""),
    JOINED_INTERFACES("""
            # public interface I { # Object run(CharSequence x); }
            # public interface J { # Object run(CharSequence x); }
            # public interface K extends I, J {}
            # public class C implements K { # public Object run(CharSequence x) BODY }"""),
    GENERIC_INTERFACE("""
            # public interface I<T> { # Object run(T x); }
            # public class C implements I<CharSequence> { # public Object run(CharSequence x) BODY }"""),
    GENERIC_SUPER_INTERFACE("""
            # public interface I<T> { # Object run(T x); }
            # public interface J extends I<CharSequence> {}
            # public class C implements J { # public Object run(CharSequence x) BODY }"""),
    NARROWED_INTERFACE("""
            # public interface I<T> { # Object run(T x); }
            # public interface J extends I<CharSequence> { # Object run(CharSequence x); }
            # public class C implements J { # public Object run(CharSequence x) BODY }"""),
    NARROWED_GENERIC_METHOD("""
            # public interface I<T> { # <S extends T> S run(S x); }
            # public interface J extends I<CharSequence> { # <S extends CharSequence> S run(S x); }
            # public class C implements J { # public <S extends CharSequence> S run(S x) BODY }"""),
    GENERIC_SUPERCLASS("""
            # public abstract class B<T> { # VIS Object run(T x) BODY }
            # public class C extends B<CharSequence> {}"""),
    HIDDEN_GENERIC_SUPERCLASS("""
            # abstract class B<T> { # VIS Object run(T x) BODY }
            # public class C extends B<CharSequence> {}"""),
    OVERRIDDEN_GENERIC_SUPERCLASS("""
            # public abstract class B<T> { # VIS Object run(T x) BODY }
            # public class C extends B<CharSequence> { # VIS Object run(CharSequence x) BODY }"""),
    SUPERCLASS_WITH_INTERFACE("""
            # public interface I { # Object run(CharSequence x); }
            # public abstract class B implements I { # public Object run(CharSequence x) BODY }
            # public class C extends B {}"""),
    HIDDEN_SUPERCLASS_WITH_INTERFACE("""
            # public interface I<T> { # Object run(T x); }
            # abstract class B<T> implements I<T> { # public Object run(T x) BODY }
            # public class C extends B<CharSequence> {}"""),
    INTERFACE_OF_AN_INHERITED_METHOD("""
            # public interface I { # Object run(CharSequence x); }
            # public class B { # public Object run(CharSequence x) BODY }
            # public class C extends B implements I {}"""),
    GENERIC_INTERFACE_OF_AN_INHERITED_METHOD("""
            # public interface I<T> { # Object run(T x); }
            # class B { # public Object run(CharSequence x) BODY }
            # public class C extends B implements I<CharSequence> {}""");

    private final String text;

    Hierarchy(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    int places() {
        return text.split("#", -1).length - 1;
    }

    /** The last is package-private. */
    List<String> visibilities() {
        return text.contains("VIS") ? List.of("public ", "protected ", "") : List.of("");
    }
}
