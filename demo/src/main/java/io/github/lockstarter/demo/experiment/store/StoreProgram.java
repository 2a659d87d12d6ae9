package io.github.lockstarter.demo.experiment.store;

import io.github.lockstarter.sample.process.Loopback;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.h2.tools.RunScript;
import org.h2.tools.Server;

/**
 * A server that keeps locks and runs until it is killed: {@code java -jar lock-demo.jar store jdbc <port>}, or
 * {@code zookeeper}. Its files are in the directory for temporary files. Not for use by hand.
 */
public final class StoreProgram {

    /** In it the URL of {@link #databaseUrl} has the table. */
    private static final String DATABASE = "locks";

    private static final String TABLE = "/io/github/lockstarter/jdbc/h2.sql";

    private StoreProgram() {}

    /**
     * Runs a server.
     *
     * @param arguments kind and port
     */
    public static void run(String[] arguments) {
        int port = Integer.parseInt(arguments[1]);
        Path directory = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            switch (arguments[0]) {
                case "jdbc" -> runDatabase(port, directory);
                case "zookeeper" -> runZooKeeper(port, directory);
                default -> throw new IllegalArgumentException("No store '" + arguments[0] + "'");
            }
        } catch (Exception failure) {
            throw new IllegalStateException("The " + arguments[0] + " server ends", failure);
        }
    }

    /**
     * Where an application finds the database.
     *
     * @param port of its server
     * @return a URL without user
     */
    public static String databaseUrl(int port) {
        // Written at once, so that a killed server has lost nothing that it has answered.
        return "jdbc:h2:tcp://" + Loopback.HOST + ":" + port + "/./" + DATABASE + ";WRITE_DELAY=0";
    }

    private static void runDatabase(int port, Path directory) throws SQLException, IOException {
        System.setProperty("h2.bindAddress", Loopback.HOST);
        boolean isNew = !Files.exists(directory.resolve(DATABASE + ".mv.db"));
        if (isNew) {
            createTable(directory);
        }
        Server.createTcpServer("-tcpPort", Integer.toString(port), "-baseDir", directory.toString())
                .start();
    }

    private static void createTable(Path directory) throws SQLException, IOException {
        try (Connection first = DriverManager.getConnection("jdbc:h2:" + directory.resolve(DATABASE), "sa", "");
                InputStream script = StoreProgram.class.getResourceAsStream(TABLE);
                Reader reader = new InputStreamReader(script, StandardCharsets.UTF_8)) {
            RunScript.execute(first, reader);
        }
    }

    private static void runZooKeeper(int port, Path directory) throws Exception {
        System.setProperty("zookeeper.admin.enableServer", "false");
        Properties properties = new Properties();
        properties.setProperty("clientPort", Integer.toString(port));
        properties.setProperty("clientPortAddress", Loopback.HOST);
        properties.setProperty(
                "dataDir", Files.createDirectories(directory.resolve("data")).toString());
        // A session lasts 2 to 20 of these, in ms.
        properties.setProperty("tickTime", "500");
        QuorumPeerConfig peer = new QuorumPeerConfig();
        peer.parseProperties(properties);
        ServerConfig config = new ServerConfig();
        config.readFrom(peer);
        new ZooKeeperServerMain().runFromConfig(config);
    }
}
