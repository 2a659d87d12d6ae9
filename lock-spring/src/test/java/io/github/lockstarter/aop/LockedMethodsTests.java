package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.Renewal;
import io.reactivex.rxjava3.core.Single;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@SuppressWarnings("unused")
class LockedMethodsTests {

    private static final PropertyPlaceholderHelper PLACEHOLDERS =
            new PropertyPlaceholderHelper("${", "}", ":", null, false);

    private final LockedMethods methods = new LockedMethods(
            name -> PLACEHOLDERS.replacePlaceholders(
                    name, Map.of("tenant", "acme", "bad", "a:b", "slow.lease", "45s")::get),
            () -> InTransaction.WARN);

    private List<String> lockedIn(Class<?> type) {
        return methods.of(type).stream()
                .map(locked -> locked.method().getName())
                .sorted()
                .toList();
    }

    private LockRequest request(Class<?> type, String method, Object... arguments) {
        Method called = Arrays.stream(type.getMethods())
                .filter(candidate -> candidate.getName().equals(method) && !candidate.isBridge())
                .findFirst()
                .orElseThrow();
        return methods.find(called, type).orElseThrow().requestFor(arguments).orElseThrow();
    }

    static class OnMethod {
        @DistributedLock(key = "#orderId", leaseMs = 30000)
        public void ship(long orderId) {}

        @DistributedLock
        void visibleToThePackage() {}

        public void free() {}
    }

    @Test
    void findsAnnotatedMethods() {
        assertThat(lockedIn(OnMethod.class)).containsExactly("ship", "visibleToThePackage");
    }

    @Test
    void buildsTheKeyFromNameAndValue() {
        LockRequest request = request(OnMethod.class, "ship", 42L);
        assertThat(request.name()).isEqualTo("OnMethod.ship");
        assertThat(request.keys()).containsExactly("OnMethod.ship:42");
        assertThat(request.terms().lease()).contains(Duration.ofSeconds(30));
        assertThat(request.terms().maxWait()).isEmpty();
        assertThat(request.terms().renewal()).isEqualTo(Renewal.AS_CONFIGURED);
    }

    static class Attributes {
        @DistributedLock(
                name = "transfer-1.x_y",
                key = {"#to", "#from", "#from"},
                maxWaitMs = 0,
                leaseMs = 100,
                renewal = Renewal.OFF)
        public void transfer(String from, String to) {}

        @DistributedLock
        public void nightly() {}
    }

    @Test
    void mapsEveryAttribute() {
        assertThat(request(Attributes.class, "transfer", "a", "b"))
                .isEqualTo(LockRequest.ofAll(List.of("transfer-1.x_y:a", "transfer-1.x_y:b"))
                        .named("transfer-1.x_y")
                        .maxWait(Duration.ZERO)
                        .lease(Duration.ofMillis(100))
                        .withoutRenewal()
                        .inTransaction(InTransaction.RELEASE));
    }

    @Test
    void locksAllCallsUnderOneKeyWithoutAKeyExpression() {
        assertThat(request(Attributes.class, "nightly").keys()).containsExactly("Attributes.nightly");
    }

    interface Shipping {
        @DistributedLock(key = "#orderId")
        void ship(long orderId);

        void label(long orderId);
    }

    static class ShippingService implements Shipping {
        @Override
        public void ship(long id) {}

        @Override
        public void label(long id) {}
    }

    @Test
    void findsTheAnnotationOfAnInterfaceMethodWithItsParameterNames() {
        assertThat(lockedIn(ShippingService.class)).containsExactly("ship");
        assertThat(request(ShippingService.class, "ship", 7L).keys()).containsExactly("Shipping.ship:7");
    }

    static class Base {
        public void ship(long id) {}

        public void label(long id) {}
    }

    static class Inheriting extends Base implements Shipping {}

    @Test
    void findsTheInterfaceOfAMethodThatASuperclassImplements() {
        assertThat(lockedIn(Inheriting.class)).containsExactly("ship");
        assertThat(lockedIn(Base.class)).isEmpty();
    }

    interface Handler<T> {
        @DistributedLock(key = "#message")
        void handle(T message);
    }

    static class TextHandler implements Handler<String> {
        @Override
        public void handle(String message) {}
    }

    @Test
    void findsTheAnnotationOfAGenericMethod() throws NoSuchMethodException {
        assertThat(lockedIn(TextHandler.class)).containsExactly("handle");
        Method bridged = Handler.class.getMethod("handle", Object.class);
        assertThat(methods.find(bridged, TextHandler.class)).isPresent();
    }

    static class Overriding extends OnMethod {
        @Override
        public void ship(long id) {}
    }

    @Test
    void findsTheAnnotationOfAnOverriddenMethod() {
        assertThat(request(Overriding.class, "ship", 1L).keys()).containsExactly("OnMethod.ship:1");
    }

    @DistributedLock(maxWaitMs = 1)
    static class OnClass {
        public void one() {}

        @DistributedLock(name = "own", maxWaitMs = 2)
        public void two() {}

        void hidden() {}

        private void secret() {}

        public static void free() {}
    }

    @Test
    void locksEachMethodOfAnAnnotatedClassThatIsNotPrivate() {
        assertThat(lockedIn(OnClass.class)).containsExactly("hidden", "one", "two");
        assertThat(request(OnClass.class, "one").name()).isEqualTo("OnClass.one");
    }

    @Test
    void prefersTheAnnotationOfTheMethod() {
        assertThat(request(OnClass.class, "two").name()).isEqualTo("own");
        assertThat(request(OnClass.class, "two").terms().maxWait()).contains(Duration.ofMillis(2));
    }

    static class Sub extends OnClass {
        public void three() {}
    }

    @Test
    void locksSubclassesOfAnAnnotatedClass() {
        assertThat(lockedIn(Sub.class)).containsExactly("hidden", "one", "three", "two");
    }

    @DistributedLock
    static class OnClassWithText {
        public void one() {}

        @Override
        public String toString() {
            return "text";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof OnClassWithText;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @DistributedLock
    interface ContractWithEquals {
        void agreed();

        @Override
        boolean equals(Object other);
    }

    static class AgreeingWithEquals implements ContractWithEquals {
        @Override
        public void agreed() {}

        @Override
        public boolean equals(Object other) {
            return other instanceof AgreeingWithEquals;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    static class OnText {
        @Override
        @DistributedLock
        public String toString() {
            return "text";
        }
    }

    @Test
    void doesNotLockMethodsOfObjectForAnAnnotationOnTheType() {
        assertThat(lockedIn(OnClassWithText.class)).containsExactly("one");
        assertThat(lockedIn(AgreeingWithEquals.class)).containsExactly("agreed");
        assertThat(lockedIn(OnText.class)).containsExactly("toString");
    }

    @DistributedLock
    interface Contract {
        void agreed();
    }

    static class Agreeing implements Contract {
        @Override
        public void agreed() {}

        public void more() {}
    }

    @Test
    void locksEachMethodOfAClassWithAnAnnotatedInterface() {
        assertThat(lockedIn(Agreeing.class)).containsExactly("agreed", "more");
        assertThat(request(Agreeing.class, "agreed").name()).isEqualTo("Contract.agreed");
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "job", maxWaitMs = 0)
    @interface Job {
        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String[] of();
    }

    static class Composed {
        @Job(of = "#day")
        public void run(String day) {}
    }

    @Test
    void mergesTheAttributesOfAMetaAnnotation() {
        LockRequest request = request(Composed.class, "run", "monday");
        assertThat(request.keys()).containsExactly("job:monday");
        assertThat(request.terms().maxWait()).contains(Duration.ZERO);
    }

    static class Outer$Odd {
        @DistributedLock
        public void s$hip() {}
    }

    @Test
    void replacesInvalidCharactersInADefaultName() {
        assertThat(request(Outer$Odd.class, "s$hip").name()).isEqualTo("Outer_Odd.s_hip");
    }

    @Test
    void findsTheMethodsOfAJdkProxy() throws NoSuchMethodException {
        Object proxy = java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Shipping.class}, (self, method, arguments) -> null);
        Method ship = Shipping.class.getMethod("ship", long.class);
        assertThat(methods.find(ship, proxy.getClass())).isPresent();
    }

    static class Tenant {
        @DistributedLock(name = "${tenant}.order", key = "#id")
        public void ship(long id) {}
    }

    static class UnknownTenant {
        @DistributedLock(name = "${unknown}.order")
        public void ship() {}
    }

    static class BadTenant {
        @DistributedLock(name = "${bad}.order")
        public void ship() {}
    }

    static class PlaceholderInTheKey {
        @DistributedLock(key = "'${tenant}:' + #id")
        public void ship(long id) {}
    }

    @Test
    void resolvesPlaceholdersOfAName() {
        LockRequest request = request(Tenant.class, "ship", 7L);
        assertThat(request.name()).isEqualTo("acme.order");
        assertThat(request.keys()).containsExactly("acme.order:7");
        assertThat(request(PlaceholderInTheKey.class, "ship", 7L).keys())
                .containsExactly("PlaceholderInTheKey.ship:acme:7");
    }

    static class Texts {
        @DistributedLock(lease = "${slow.lease}", maxWait = "PT0.5S", minHold = " 800ms ", maxHold = "1m30s")
        public void texts() {}

        @DistributedLock(lease = "${missing:}", maxWait = "250")
        public void blankAndNumber() {}
    }

    static class Millis {
        @DistributedLock(leaseMs = 100, maxWaitMs = 200, minHoldMs = 300, maxHoldMs = 400)
        public void millis() {}
    }

    @Test
    void parsesDurationsFromTextsAndPlaceholders() {
        LockRequest texts = request(Texts.class, "texts");
        assertThat(texts.terms().lease()).contains(Duration.ofSeconds(45));
        assertThat(texts.terms().maxWait()).contains(Duration.ofMillis(500));
        assertThat(texts.terms().minHold()).contains(Duration.ofMillis(800));
        assertThat(texts.terms().maxHold()).contains(Duration.ofSeconds(90));
        LockRequest blank = request(Texts.class, "blankAndNumber");
        assertThat(blank.terms().lease()).isEmpty();
        assertThat(blank.terms().maxWait()).contains(Duration.ofMillis(250));
        LockRequest millis = request(Millis.class, "millis");
        assertThat(millis.terms().lease()).contains(Duration.ofMillis(100));
        assertThat(millis.terms().maxWait()).contains(Duration.ofMillis(200));
        assertThat(millis.terms().minHold()).contains(Duration.ofMillis(300));
        assertThat(millis.terms().maxHold()).contains(Duration.ofMillis(400));
    }

    static class TwoLeases {
        @DistributedLock(leaseMs = 5000, lease = "${slow.lease}")
        public void run() {}
    }

    static class TwoWaits {
        @DistributedLock(maxWaitMs = 0, maxWait = "0")
        public void run() {}
    }

    static class TwoMinimumHolds {
        @DistributedLock(minHoldMs = 5000, minHold = "5s")
        public void run() {}
    }

    static class TwoMaximumHolds {
        @DistributedLock(maxHoldMs = 5000, maxHold = "5s")
        public void run() {}
    }

    static class NoDuration {
        @DistributedLock(lease = "${tenant}")
        public void run() {}
    }

    static class UnknownLease {
        @DistributedLock(lease = "${orders.lease}")
        public void run() {}
    }

    static class TooShort {
        @DistributedLock(minHold = "500us")
        public void run() {}
    }

    static class NotRenewed {
        @DistributedLock(maxHold = "1m", renewal = Renewal.OFF)
        public void run() {}
    }

    @Test
    void refusesInvalidDurations() {
        assertRefused(TwoLeases.class, "it has leaseMs = 5000 and lease = \"${slow.lease}\".");
        assertRefused(TwoWaits.class, "it has maxWaitMs = 0 and maxWait = \"0\".");
        assertRefused(TwoMinimumHolds.class, "it has minHoldMs = 5000 and minHold = \"5s\".");
        assertRefused(TwoMaximumHolds.class, "it has maxHoldMs = 5000 and maxHold = \"5s\".");
        assertRefused(NoDuration.class, "lease = \"${tenant}\" is no duration: 'acme'.");
        assertRefused(UnknownLease.class, "lease = \"${orders.lease}\" cannot be resolved: ");
        assertRefused(UnknownLease.class, "'orders.lease'");
        assertRefused(TooShort.class, "minHold of lock 'TooShort.run' is 0.5ms; it must be between 1ms");
        assertRefused(NotRenewed.class, "which has no effect: the lock is not renewed");
    }

    @Test
    void refusesUnresolvedPlaceholders() {
        assertRefused(UnknownTenant.class, "name = \"${unknown}.order\" cannot be resolved: ");
        assertRefused(BadTenant.class, "the name 'a:b.order' (of '${bad}.order') has characters other than");
    }

    static class Private {
        @DistributedLock
        private void hidden() {}
    }

    static class Static {
        @DistributedLock
        public static void hidden() {}
    }

    static class BadName {
        @DistributedLock(name = "order:#{id}")
        public void ship() {}
    }

    static class NoLease {
        @DistributedLock(leaseMs = 0)
        public void ship() {}
    }

    static class NegativeWait {
        @DistributedLock(maxWaitMs = -2)
        public void ship() {}
    }

    static class NegativeMinimumHold {
        @DistributedLock(minHoldMs = -2)
        public void ship() {}
    }

    static class OverflowingLease {
        @DistributedLock(leaseMs = Long.MAX_VALUE)
        public void ship() {}
    }

    @Test
    void refusesAnAnnotationThatCannotTakeEffect() {
        assertRefused(Private.class, "a proxy does not intercept the call of a private method");
        assertRefused(Static.class, "a proxy does not intercept the call of a static method");
        assertRefused(BadName.class, "the name 'order:#{id}' has characters other than");
        assertRefused(NoLease.class, "lease of lock 'NoLease.ship' is 0ms");
        assertRefused(NegativeWait.class, "maxWait of lock 'NegativeWait.ship' is -2ms");
        assertRefused(NegativeMinimumHold.class, "minHold of lock 'NegativeMinimumHold.ship' is -2ms");
        assertRefused(OverflowingLease.class, "and 365d");
    }

    private void assertRefused(Class<?> type, String why) {
        assertThatThrownBy(() -> methods.of(type))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("@DistributedLock on LockedMethodsTests." + type.getSimpleName() + ".")
                .hasMessageContaining(why);
    }

    @DistributedLock
    interface Asynchronous {
        interface AMono extends Asynchronous {
            Mono<String> run();
        }

        interface AFlux extends Asynchronous {
            Flux<String> run();
        }

        interface AFlow extends Asynchronous {
            Flow.Publisher<String> run();
        }

        interface AStage extends Asynchronous {
            CompletionStage<String> run();
        }

        interface ACompletableFuture extends Asynchronous {
            CompletableFuture<String> run();
        }

        interface ASingle extends Asynchronous {
            Single<String> run();
        }

        /** The lock cannot return a stage of this type. */
        interface ACustomFuture extends Asynchronous {
            class Reply extends CompletableFuture<String> {}

            Reply run();
        }

        /** Nor a publisher of this one. */
        interface AConnectable extends Asynchronous {
            ConnectableFlux<String> run();
        }

        interface AFuture extends Asynchronous {
            Future<String> run();
        }

        interface ACallable extends Asynchronous {
            Callable<String> run();
        }

        interface ASupplier extends Asynchronous {
            Supplier<String> run();
        }

        interface AStream extends Asynchronous {
            Stream<String> run();
        }

        interface AnIntStream extends Asynchronous {
            IntStream run();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Asynchronous.ACustomFuture.class,
                Asynchronous.AConnectable.class,
                Asynchronous.AFuture.class,
                Asynchronous.ACallable.class,
                Asynchronous.ASupplier.class,
                Asynchronous.AStream.class,
                Asynchronous.AnIntStream.class
            })
    void refusesMethodsWhoseEndCannotBeSeen(Class<?> contract) {
        assertThatThrownBy(() -> shapeOf(contract))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("so the lock would be released before the work ends")
                .extracting(e -> ((LockStartException) e).action())
                .asString()
                .contains("Declare CompletableFuture", "Mono, Flux");
    }

    private MethodShape shapeOf(Class<?> contract) {
        Object bean = java.lang.reflect.Proxy.newProxyInstance(
                contract.getClassLoader(), new Class<?>[] {contract}, (self, method, arguments) -> null);
        return methods.of(bean.getClass()).get(0).shape();
    }

    @Test
    void recognisesByTheReturnTypeWhenTheWorkEnds() {
        assertThat(Stream.of(Asynchronous.AStage.class, Asynchronous.ACompletableFuture.class))
                .allSatisfy(contract -> assertThat(shapeOf(contract)).isEqualTo(MethodShape.STAGE));
        assertThat(Stream.of(
                        Asynchronous.AMono.class,
                        Asynchronous.AFlux.class,
                        Asynchronous.AFlow.class,
                        Asynchronous.ASingle.class))
                .allSatisfy(contract -> assertThat(shapeOf(contract)).isEqualTo(MethodShape.REACTIVE));
    }

    static class Later {
        @DistributedLock(inTransaction = InTransaction.RELEASE_AFTER)
        public CompletableFuture<String> ship() {
            return CompletableFuture.completedFuture("");
        }
    }

    @Test
    void refusesToKeepALockForATransactionOfAnAsynchronousMethod() {
        assertRefused(
                Later.class,
                "it has inTransaction = RELEASE_AFTER, and its work does not run on the thread of its caller");
    }

    static class Subscribed {
        @DistributedLock(inTransaction = InTransaction.REFUSE)
        public Mono<String> ship() {
            return Mono.empty();
        }
    }

    @Test
    void refusesToDetectATransactionOfASubscriber() {
        assertRefused(
                Subscribed.class,
                "it has inTransaction = REFUSE, and its work does not run on the thread of its caller");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {DeferredResult.class, WebAsyncTask.class, ResponseBodyEmitter.class, StreamingResponseBody.class
            })
    void refusesControllersThatAnswerLater(Class<?> returnType) {
        Class<?> controller = new ByteBuddy()
                .subclass(Object.class)
                .name("io.github.lockstarter.aop.Controller")
                .defineMethod("run", returnType, Visibility.PUBLIC)
                .intercept(FixedValue.nullValue())
                .annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class)
                        .build())
                .make()
                .load(getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded();
        assertThatThrownBy(() -> methods.of(controller))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("it returns " + returnType.getName())
                .hasMessageContaining("so the lock would be released");
    }
}
