package io.github.lockstarter.kit.redis;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One {@link RedisServer} per test class, as new before each test; nested classes share it: a container where Docker
 * answers and no binary is named, else the binary. Register it as a static field:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisExtension REDIS = new RedisExtension();
 * }</pre>
 */
public final class RedisExtension extends FreshBeforeEachTest implements BeforeAllCallback {

    private final String[] arguments;
    private final boolean settable;
    private @Nullable RedisServer server;

    /**
     * The server starts with the first class.
     *
     * @param arguments as {@link RedisServer#start}
     */
    public RedisExtension(String... arguments) {
        this(false, arguments);
    }

    private RedisExtension(boolean settable, String... arguments) {
        this.arguments = arguments.clone();
        this.settable = settable;
    }

    /** A server whose clock a test can set, where the machine allows it: a container has the clock of its host. */
    public static RedisExtension withSettableClock() {
        return new RedisExtension(true);
    }

    public RedisServer server() {
        if (server == null) {
            throw new IllegalStateException(
                    "Redis starts with the test class: register the extension as a static field");
        }
        return server;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // The store of the outermost class closes the server after its last test.
        server = context.getStore(ExtensionContext.Namespace.create(RedisExtension.class))
                .computeIfAbsent(this, self -> start(), RedisServer.class);
    }

    private RedisServer start() {
        boolean inContainer = RedisContainer.isPreferred() && !(settable && RedisServer.canSetClock());
        return inContainer ? RedisContainer.startContainer(arguments) : RedisServer.start(arguments);
    }

    @Override
    void reset(ExtensionContext context) {
        server().reset();
    }
}
