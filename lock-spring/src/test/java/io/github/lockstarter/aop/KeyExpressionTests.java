package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.EmptyKeys;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.OverridingClassLoader;
import org.springframework.core.ResolvableType;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.ReflectionUtils;

class KeyExpressionTests {

    /** Input of the expressions: one parameter of each kind. */
    @SuppressWarnings("unused")
    static final class Orders {
        void ship(Object id, Order order, Map<String, Object> attributes, List<Object> items) {}

        void nightly() {}
    }

    record Order(Object id, Customer customer) {

        public Object largest(List<Integer> numbers) {
            return Collections.max(numbers);
        }
    }

    static final class Customer {
        private final String name;

        Customer(String name) {
            this.name = name;
        }

        public String getName() {
            return name;
        }

        public String failing() {
            throw new IllegalStateException("no name today");
        }
    }

    private static final Method SHIP = method("ship", Object.class, Order.class, Map.class, List.class);

    private static Method method(String name, Class<?>... parameters) {
        Method method = ReflectionUtils.findMethod(Orders.class, name, parameters);
        assertThat(method).isNotNull();
        return method;
    }

    private static final PropertyPlaceholderHelper PLACEHOLDERS =
            new PropertyPlaceholderHelper("${", "}", ":", null, false);

    private static final Map<String, String> VALUES = Map.of(
            "tenant", "acme",
            "shards", "16",
            "quotes", "O'Neil \"x\"",
            "expression", "#id");

    private static final Placeholders PROPERTIES =
            new Placeholders(SHIP, text -> PLACEHOLDERS.replacePlaceholders(text, VALUES::get));

    private static KeyExpression parse(String expression) {
        return KeyExpression.parse(expression, SHIP, KeyParameters.of(SHIP, SHIP), PROPERTIES);
    }

    private static String key(String expression, Object id) {
        List<String> keys = keys(expression, id);
        assertThat(keys).hasSize(1);
        return keys.get(0);
    }

    private static List<String> keys(String expression, Object id) {
        Map<String, Object> attributes = new HashMap<>();
        attributes.put("region", "eu");
        Order order = new Order(id, new Customer("ann"));
        return evaluate(parse(expression), id, order, attributes, List.of(3, 1, 2));
    }

    private static List<String> evaluate(KeyExpression expression, Object... arguments) {
        return expression.evaluate(arguments, EmptyKeys.REFUSE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #id                                   | 42
            #p0                                   | 42
            #a0                                   | 42
            #order.id                             | 42
            #order.id()                           | 42
            #order.customer.name                  | ann
            #order.customer.getName()             | ann
            #order?.customer?.name                | ann
            #attributes['region']                 | eu
            #attributes[region]                   | eu
            #items[1]                             | 1
            #items.size()                         | 3
            #items.?[#this > 2][0]                | 3
            #attributes['reg' + 'ion']            | eu
            'x'.concat('y' + #id)                 | xy42
            ('x' + #id) * 2                       | x42x42
            #items.![#this * 2][0]                | 6
            'order:' + #id                        | order:42
            #id + ':' + #order.customer.name      | 42:ann
            #id + 1                               | 43
            #id > 40 ? 'big:' + #id : 'small'     | big:42
            #attributes['none'] ?: 'all'          | all
            'nightly'                             | nightly
            """)
    void evaluatesArgumentsTheirPropertiesAndMethods(String expression, String key) {
        assertThat(key(expression, 42)).isEqualTo(key);
    }

    @Test
    void rendersEqualValuesEqually() {
        UUID uuid = UUID.fromString("6f1c1f0e-1111-4222-8333-944445555666");
        assertThat(key("#id", uuid)).isEqualTo(uuid.toString());
        assertThat(key("#id", 7L)).isEqualTo("7");
        assertThat(key("#id", 'x')).isEqualTo("x");
        assertThat(key("#id", true)).isEqualTo("true");
        assertThat(key("#id", new BigDecimal("1.50"))).isEqualTo("1.50");
        assertThat(key("#id", TimeUnit.DAYS)).isEqualTo("DAYS");
        assertThat(key("'' + #id", TimeUnit.DAYS)).isEqualTo("DAYS");
        assertThat(key("#id", CharBuffer.wrap("sb"))).isEqualTo("sb");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #id                          | is null
            #order.id                    | is null
            'x:' + #id                   | has a part '#id' that is null
            #id + ':x'                   | has a part '#id' that is null
            'x:' + #order.id             | has a part '#order.id' that is null
            'x:' + (#id + ':y')          | has a part '#id' that is null
            #id == null ? 'n:' + #id : 1 | has a part '#id' that is null
            #id ?: 'x:' + #order.id      | has a part '#order.id' that is null
            ('x:' + #id).trim()          | has a part '#id' that is null
            {'order:' + #id, 'x'}        | has a part '#id' that is null
            {{'order:' + #id}}[0]        | has a part '#id' that is null
            {'a': 'order:' + #id}['a']   | has a part '#id' that is null
            'order:%s'.formatted(#id)    | formats a null
            'x'.concat('y' + #id)        | has a part '#id' that is null
            {'x'}.![concat('y' + #id)]   | has a part '#id' that is null
            #attributes['x' + #id]       | has a part '#id' that is null
            ('x' + #id) * 2              | has a part '#id' that is null
            #id.length()                 | cannot be evaluated
            """)
    void refusesANullKey(String expression, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key(expression, null))
                .withMessageContaining("Key expression '" + expression + "'")
                .withMessageContaining("KeyExpressionTests.Orders.ship(")
                .withMessageContaining(why);
    }

    @Test
    void acceptsANullThatTheExpressionReplaces() {
        assertThat(key("#id ?: 'none'", null)).isEqualTo("none");
        assertThat(key("'order:' + (#id ?: 'none')", null)).isEqualTo("order:none");
        assertThat(key("#id == null ? 'none' : 'order:' + #id", null)).isEqualTo("none");
    }

    @Test
    void refusesABlankKey() {
        assertThatIllegalArgumentException().isThrownBy(() -> key("#id", " ")).withMessageContaining("is blank");
    }

    @Test
    void refusesValuesWithoutAnIdentifyingText() {
        for (Object value : List.of(new Object(), Map.of("a", 1), Optional.of(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> key("#id", value))
                    .withMessageContaining("has no text that identifies it");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> key("'x:' + #id", value))
                    .withMessageContaining("has a part '#id' that is a ")
                    .withMessageContaining("has no text that identifies it");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #items                               | 3,1,2
            #items.![#this]                      | 3,1,2
            #items.!['o:' + #this]               | o:3,o:1,o:2
            #items.![#this > 2 ? 'o:' + #this : #this] | o:3,1,2
            #items.?[#this > 1]                  | 3,2
            #attributes.![key]                   | region
            {#id, #order.id, 'x'}                | 42,42,x
            {#id}                                | 42
            {'o:' + #id, 'x'}                    | o:42,x
            {'a': 'o:' + #id}.![value]           | o:42
            """)
    void aListIsAKeyPerElement(String expression, String keys) {
        assertThat(keys(expression, 42)).containsExactly(keys.split(","));
    }

    @Test
    void anArrayOrCollectionIsAKeyPerElement() {
        for (Object ids : List.of(new long[] {7, 3}, new Integer[] {7, 3}, List.of(7, 3))) {
            assertThat(keys("#id", ids)).containsExactly("7", "3");
        }
        assertThat(keys("#id.![customer.name]", new Order[] {new Order(1, new Customer("ann"))}))
                .containsExactly("ann");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #id                      | has an element [1] that is null
            #id.![#this]             | has an element [1] that is null
            #id.!['x:' + #this]      | has a part '#this' that is null
            #id.![#this.length()]    | cannot be evaluated
            {#id}                    | has an element [0] that is a java.util.Arrays$ArrayList, which is no single key
            """)
    void refusesANullElement(String expression, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(expression, Arrays.asList("a", null)))
                .withMessageContaining("Key expression '" + expression + "'")
                .withMessageContaining(why)
                .withMessageContaining("The method did not run");
    }

    /** {@code [7, 3]} and {@code [3, 7]} would be two locks. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "#items.toString()",
                "#items?.toString()",
                "#items.toString().length()",
                "#items.subList(0, 2).toString()",
                "'x:' + #items.toString()",
                "('x:' + #items).trim()",
                "{1, 2}.toString()",
                "'x:'.concat(#items)",
                "'x:'.concat('a' + #items)",
                "{'o:' + #items}",
                "'%s'.formatted(#items)",
                "'x'.replace('x', #items)",
                "#attributes.toString()",
                "#attributes.keySet().toString()"
            })
    void refusesToMakeATextOfAList(String expression) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys(expression, 42))
                .withMessageContaining("Key expression '" + expression + "'")
                .withMessageContaining("The method did not run");
    }

    @Test
    void theRefusalOfATextNamesTheCure() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys("#id.toString()", new ArrayList<>(List.of(7, 3))))
                .withMessageStartingWith("Key expression '#id.toString()' of KeyExpressionTests.Orders.ship(")
                .withMessageContaining(" makes a text of a java.util.ArrayList, so that the same elements in another"
                        + " order would be another lock; let the list itself be the key, to lock each element. The"
                        + " method did not run");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys("'x:' + #id", List.of(7, 3)))
                .withMessageContaining("has a part '#id' that is a java.util.ImmutableCollections$List")
                .withMessageContaining("to lock each element, let the key expression be the list");
    }

    /** The order of the elements decides nothing, or the application does. */
    @Test
    void callsOtherMethodsOfAListAndWithAList() {
        assertThat(key("#items.get(0)", 42)).isEqualTo("3");
        assertThat(key("#items.contains(3)", 42)).isEqualTo("true");
        assertThat(key("#order.largest(#items)", 42)).isEqualTo("3");
        assertThat(key("#id.toString()", 42)).isEqualTo("42");
        assertThat(keys("#items.![toString()]", 42)).containsExactly("3", "1", "2");
        assertThat(keys("#items.stream().sorted().toList()", 42)).containsExactly("1", "2", "3");
    }

    @Test
    void refusesAnEmptyListUnlessItIsAccepted() {
        for (Object empty : List.of(List.of(), new int[0], Set.of())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> keys("#id", empty))
                    .withMessageContaining("Key expression '#id'")
                    .withMessageContaining(
                            "is an empty list, which locks nothing (emptyKeys = REFUSE). The method did" + " not run");
            assertThat(parse("#id").evaluate(new Object[] {empty, null, null, null}, EmptyKeys.RUN_UNLOCKED))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #items                | true
            #p3                   | true
            #items.![#this]       | true
            #order.tags.![#this]  | true
            {#id}                 | true
            #id                   | false
            #items[0]             | false
            #items.size()         | false
            #order.id             | false
            'x'                   | false
            """)
    void knowsAtTheStartWhichExpressionsAreLists(String expression, boolean isList) {
        assertThat(parse(expression).isList(SHIP.getParameterTypes())).isEqualTo(isList);
    }

    @Test
    void treatsArgumentsAsData() {
        assertThat(key("#id", "#{T(java.lang.System).exit(1)}")).isEqualTo("#{T(java.lang.System).exit(1)}");
        assertThat(key("'o:' + #id", "' + #order + '")).isEqualTo("o:' + #order + '");
    }

    @Test
    void namesTheExpressionWhenAMethodOfAnArgumentFails() {
        assertThatThrownBy(() -> key("#order.customer.failing()", 1)).hasStackTraceContaining("no name today");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', commentCharacter = '~', textBlock = """
            #ordrId                             | uses '#ordrId', which is not an argument
            'x:' + #order.name(#nobody)         | uses '#nobody', which is not an argument
            #this                               | uses '#this', which is not an argument
            #root.id                            | uses '#root', which is not an argument
            #p4                                 | uses '#p4', which is not an argument
            id                                  | uses 'id', which is not an argument
            id + 'x'                            | uses 'id', which is not an argument
            name()                              | uses 'name()', which is not an argument
            acme + ':' + #id                    | uses 'acme', which is not an argument; arguments begin with '#' and texts stand in quotes
            #id +                               | is not SpEL
            'open                               | is not SpEL
            """)
    void refusesAtTheStartWhatItCannotReach(String expression, String why) {
        assertThatThrownBy(() -> parse(expression))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("KeyExpressionTests.Orders.ship(")
                .hasMessageContaining("key expression '" + expression + "'")
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.Math).random()",
                "new String('x')",
                "@bean.id",
                "#ship('x')",
                "#id = 'x'",
                "#id++",
                "#order.customer.name = 'x'",
                "#order.getId()",
                "#order.idd",
                "#order?.customer.nam",
                "#order.customer.name.size",
                "#order.equals(id)",
                "#id.getClass()"
            })
    void refusesInTheCallWhatItCannotReach(String expression) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key(expression, 42))
                .withMessageContaining("Key expression '" + expression + "'")
                .withMessageContaining("cannot be evaluated")
                .withMessageContaining("The method did not run");
    }

    @Test
    void namesTheSyntaxForAnEntryOfAMap() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("#attributes.region", 42))
                .withMessageContaining("a Map has no property 'region'; write ['region']. The method did not run");
    }

    @Test
    void refusesABlankExpression() {
        assertThatThrownBy(() -> parse(" "))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("key expression ' ' is blank");
    }

    @Test
    void theFailureListsTheKnownArguments() {
        assertThatThrownBy(() -> parse("#ordrId"))
                .isInstanceOfSatisfying(LockStartException.class, e -> assertThat(e.action())
                        .contains("#id, #order, #attributes, #items, #p0, #a0")
                        .doesNotContain("-parameters"));
    }

    @Test
    void theFailureNamesTheCompilerOptionForParameterNames() {
        Map<String, Integer> positions = new LinkedHashMap<>();
        positions.put("p0", 0);
        positions.put("a0", 0);
        KeyParameters unnamed = new KeyParameters(positions, false);
        assertThatThrownBy(() -> KeyExpression.parse("'x:' + #id", SHIP, unnamed, PROPERTIES))
                .isInstanceOfSatisfying(
                        LockStartException.class,
                        e -> assertThat(e.action()).contains("#p0, #a0").contains("compile with -parameters"));
        assertThat(evaluate(KeyExpression.parse("'x:' + #p0", SHIP, unnamed, PROPERTIES), 5))
                .containsExactly("x:5");
    }

    @Test
    void theFailureSaysThatTheMethodHasNoParameters() {
        Method nightly = method("nightly");
        assertThatThrownBy(() -> KeyExpression.parse("#id", nightly, KeyParameters.of(nightly, nightly), PROPERTIES))
                .isInstanceOfSatisfying(
                        LockStartException.class, e -> assertThat(e.action()).contains("The method has no parameters"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            '${tenant}:' + #id                | acme:7
            "${tenant}:" + #id                | acme:7
            '${tenant}'.toUpperCase()         | ACME
            #id % ${shards}                   | 7
            ${expression}                     | 7
            '${missing:${tenant}}/${tenant}'  | acme/acme
            """)
    void resolvesPlaceholdersInTheExpression(String expression, String key) {
        assertThat(evaluate(parse(expression), 7, null, null, null)).containsExactly(key);
    }

    @Test
    void refusesAnUnresolvedOrUnclosedPlaceholder() {
        assertThatThrownBy(() -> parse("'${missing}:' + #id"))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("key = \"'${missing}:' + #id\" cannot be resolved: ")
                .hasMessageContaining("'missing'");
        assertThatThrownBy(() -> parse("'${tenant:' + #id"))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("cannot be resolved");
        assertThatThrownBy(() -> parse("'${quotes}:' + #id"))
                .isInstanceOf(LockStartException.class)
                .hasMessageContaining("is not SpEL");
    }

    /** A class that another class loader defines again, as a restart of the application does. */
    public static class Restarted {
        public final String id = "1";

        @SuppressWarnings("unused")
        public void ship(Restarted argument) {}
    }

    private static WeakReference<ClassLoader> evaluateInAClassLoaderOfItsOwn() throws Exception {
        ClassLoader loader = new OverridingClassLoader(KeyExpressionTests.class.getClassLoader()) {
            @Override
            protected boolean isEligibleForOverriding(String name) {
                return name.equals(Restarted.class.getName());
            }
        };
        Class<?> type = loader.loadClass(Restarted.class.getName());
        assertThat(type).isNotEqualTo(Restarted.class);
        Method ship = type.getMethod("ship", type);
        KeyExpression key = KeyExpression.parse("#argument.id", ship, KeyParameters.of(ship, ship), PROPERTIES);
        Object argument = type.getConstructor().newInstance();
        assertThat(evaluate(key, argument)).containsExactly("1");
        return new WeakReference<>(loader);
    }

    @Test
    void keepsNoClassLoaderOfItsArguments() throws Exception {
        WeakReference<ClassLoader> loader = evaluateInAClassLoaderOfItsOwn();
        ResolvableType.clearCache(); // Spring's own, whose entries go when memory is short
        ReflectionUtils.clearCache();
        await().untilAsserted(() -> {
            System.gc();
            assertThat(loader.get()).isNull();
        });
    }
}
