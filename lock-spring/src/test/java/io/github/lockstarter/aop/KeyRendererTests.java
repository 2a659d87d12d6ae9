package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.LockRequest;
import java.net.URI;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.JsonNodeFactory;

@SuppressWarnings({"JavaUtilDate", "ArrayRecordComponent"}) // rejected values
class KeyRendererTests {

    /** Overrides {@code toString} for one constant: the name counts. */
    private enum Shade {
        DARK {
            @Override
            public String toString() {
                return "as the night";
            }
        }
    }

    private record Order(long id) {}

    @Test
    void rendersAnEnumConstantByItsName() {
        assertThat(KeyRenderer.of(Shade.DARK)).isEqualTo("DARK");
    }

    @Test
    void rendersAValueByItsToString() {
        assertThat(KeyRenderer.of(LocalDate.of(2026, 11, 20))).isEqualTo("2026-11-20");
        assertThat(KeyRenderer.of(new Order(1))).isEqualTo("Order[id=1]");
    }

    @Test
    void refusesValuesWhoseTextDiffersBetweenJvms() {
        for (Object value : new Object[] {new Object(), Stream.of("a"), (Runnable) () -> {}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.of(value))
                    .withMessageContaining("has no text that identifies it");
        }
    }

    @Test
    void refusesAListForASingleKeyAndSaysHowToLockEachElement() {
        for (Object value : List.of(new String[] {"a"}, new long[0], Set.of("a", "b"), List.of(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.of(value))
                    .withMessageContaining(", which is no single key; to lock each element, let the key expression be"
                            + " the list, such as #ids or #orders.!['eu:' + id]");
        }
    }

    @Test
    void rendersEachElementOfAList() {
        assertThat(KeyRenderer.allOf(List.of(7, "a", Shade.DARK))).containsExactly("7", "a", "DARK");
        assertThat(KeyRenderer.allOf(new long[] {2, 1})).containsExactly("2", "1");
        assertThat(KeyRenderer.allOf(new String[] {"b"})).containsExactly("b");
        assertThat(KeyRenderer.allOf(Set.of(1))).containsExactly("1");
        assertThat(KeyRenderer.allOf(List.of())).isEmpty();
    }

    @Test
    void rendersAValueThatIsNoListOnce() {
        assertThat(KeyRenderer.allOf(7)).containsExactly("7");
        assertThat(KeyRenderer.allOf(Path.of("a", "b"))).hasSize(1);
        assertThat(KeyRenderer.allOf(JsonNodeFactory.instance.numberNode(42))).containsExactly("42");
        for (Object value : List.of(new byte[] {1}, new char[] {'a'})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.allOf(value))
                    .withMessageContaining("[], which has no text that identifies it");
        }
    }

    @Test
    void refusesAnElementThatIsNoKeyWithItsIndex() {
        Map<Object, String> refusals = new HashMap<>();
        refusals.put(null, "is null");
        refusals.put(" ", "is blank");
        refusals.put(new Object(), "is a java.lang.Object, which has no text that identifies it");
        refusals.put(new Date(0), "is a java.util.Date, whose text depends on the time zone");
        refusals.put(List.of(1), "which is no single key");
        refusals.forEach((element, why) -> assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.allOf(Arrays.asList("a", element)))
                .withMessageStartingWith("has an element [1] that ")
                .withMessageContaining(why));
    }

    @Test
    void stopsAtTheLimitOfKeys() {
        assertThat(KeyRenderer.allOf(Collections.nCopies(LockRequest.MAX_KEYS, "a")))
                .hasSize(LockRequest.MAX_KEYS);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.allOf(Collections.nCopies(LockRequest.MAX_KEYS + 1, "a")))
                .withMessage("has more than 10000 elements");
    }

    private record Range(String[] of) {}

    private record Day(Date of) {}

    private record Line(Order order, Optional<String> note) {}

    private record Labelled(String label, List<String> notes) {
        @Override
        public String toString() {
            return label;
        }
    }

    private record Shipment(long id, Order order, @Nullable LocalDate day, Shade shade, Labelled label) {}

    @Test
    void refusesValuesWhoseTextDependsOnTheTimeZoneOfTheJvm() {
        for (Object value : new Object[] {
            new Date(0), new Timestamp(0), new java.sql.Date(0), new GregorianCalendar(2026, 0, 1), new Day(new Date(0))
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.of(value))
                    .withMessageContaining("time zone")
                    .withMessageContaining("toInstant()");
        }
    }

    @Test
    void refusesARecordWithAComponentThatHasNoText() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new Range(new String[] {"a"})))
                .withMessage(
                        "is a " + Range.class.getTypeName() + " whose 'of' is a java.lang.String[], which has no text"
                                + " that identifies it; use one of its properties");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new Line(new Order(1), Optional.empty())))
                .withMessageContaining("whose 'note' is a java.util.Optional");
    }

    @Test
    void rendersARecordWhoseComponentsHaveATextEach() {
        assertThat(KeyRenderer.of(new Labelled("a", List.of("b")))).isEqualTo("a");
        Shipment shipment = new Shipment(1, new Order(2), null, Shade.DARK, new Labelled("a", List.of()));
        assertThat(KeyRenderer.of(shipment))
                .isEqualTo("Shipment[id=1, order=Order[id=2], day=null, shade=as the night, label=a]");
    }

    @Test
    void refusesNullAndBlankTexts() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(null))
                .withMessage("is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of("\t"))
                .withMessage("is blank");
    }

    /** As a lazy collection that cannot be loaded any more. */
    private static final class Unloadable extends AbstractList<String> {

        @Override
        public String get(int index) {
            throw new IllegalStateException("not loaded");
        }

        @Override
        public int size() {
            return 1;
        }
    }

    @Test
    void doesNotCallToStringOfACollection() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new Unloadable()))
                .withMessageContaining("is no single key");
    }

    private static final class Silent {

        @Override
        @SuppressWarnings("ToStringReturnsNull") // as careless code does
        public String toString() {
            return null;
        }
    }

    private record Holder(Silent part) {}

    @Test
    void treatsANullTextAsBlank() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new Silent()))
                .withMessage("is blank");
        assertThat(KeyRenderer.of(new Holder(new Silent()))).isEqualTo("Holder[part=null]");
    }

    private record Told(List<String> ids) {

        @Override
        @SuppressWarnings("UnusedMethod") // that is what the test is about
        public List<String> ids() {
            throw new IllegalStateException("not to be asked");
        }

        @Override
        public String toString() {
            return "told" + ids;
        }
    }

    @Test
    void usesTheToStringThatARecordDeclares() {
        assertThat(KeyRenderer.of(new Told(List.of("1")))).isEqualTo("told[1]");
    }

    /** As Lombok's {@code @Value}, a data class of Kotlin or an IDE would write it. */
    private static final class AccountId {

        private final Object part;

        private AccountId(Object part) {
            this.part = part;
        }

        @Override
        public String toString() {
            return "AccountId(number=7, part=" + part + ")";
        }
    }

    private static final class Currency {}

    @Test
    void refusesATextWithAnIdentityHash() {
        for (Object part :
                new Object[] {new Object(), new Currency(), new int[0], new String[0], (Runnable) () -> {}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.of(new AccountId(part)))
                    .withMessageContaining("AccountId, whose text contains an identity hash (")
                    .withMessageContaining("which differs in each JVM; use one of its properties");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new AccountId("Currency@3ef2adc8")))
                .withMessageContaining("contains an identity hash");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(new java.util.concurrent.CompletableFuture<>()))
                .withMessageContaining("contains an identity hash");
    }

    @Test
    void rendersATextThatOnlyLooksLikeAnIdentityHash() {
        for (String part : List.of(
                "ann@facade.com", "Ann@facade.com", "order@12", "ann@facade", "7@beef", "j.doe@12345", "Ann@facade")) {
            assertThat(KeyRenderer.of(new AccountId(part))).contains(part);
        }
        for (String address :
                List.of("https://Ann@12345/", "https://Ann@12345", "ftp://Ann@12345:21", "Ann:Doe@12345:21")) {
            assertThat(KeyRenderer.of(URI.create(address))).isEqualTo(address);
        }
        assertThat(KeyRenderer.of("java.lang.Object@3ef2adc8")).isEqualTo("java.lang.Object@3ef2adc8");
        CharSequence ofAnotherType = CharBuffer.wrap("Object@3ef2adc8");
        assertThat(KeyRenderer.of(ofAnotherType)).isEqualTo("Object@3ef2adc8");
    }
}
