package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.LockTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Creates the lock table with the database's script if configured. Ignores failed statements, since another instance
 * may execute the same ones concurrently; the startup check follows.
 */
final class LockTableInitializer extends DataSourceScriptDatabaseInitializer {

    private static final String SCRIPTS = "classpath*:io/github/lockstarter/jdbc/*.sql";

    private final DataSource source;
    private final JdbcLockProperties properties;

    LockTableInitializer(DataSource source, JdbcLockProperties properties) {
        super(source, settings(properties.initializeSchema()));
        this.source = source;
        this.properties = properties;
    }

    private static DatabaseInitializationSettings settings(DatabaseInitializationMode mode) {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setMode(mode);
        settings.setSchemaLocations(List.of(SCRIPTS));
        return settings;
    }

    @Override
    protected void runScripts(Scripts all) {
        Optional<String> script = dialect().map(JdbcDialect::script);
        List<Resource> ofDialect = StreamSupport.stream(all.spliterator(), false)
                .filter(each -> script.filter(path -> path.endsWith("/" + each.getFilename()))
                        .isPresent())
                .map(this::withTableName)
                .toList();
        try {
            super.runScripts(new Scripts(ofDialect).continueOnError(true).encoding(StandardCharsets.UTF_8));
        } catch (DataAccessException e) {
            // No connection: the startup check reports it, or the application starts without the database.
        }
    }

    private Optional<JdbcDialect> dialect() {
        JdbcDialect configured = properties.dialect();
        try {
            return configured != null
                    ? Optional.of(configured)
                    : JdbcUtils.extractDatabaseMetaData(source, JdbcDialect::of);
        } catch (MetaDataAccessException e) {
            return Optional.empty();
        }
    }

    private Resource withTableName(Resource script) {
        try {
            String text = script.getContentAsString(StandardCharsets.UTF_8);
            return new ByteArrayResource(
                    text.replace(LockTable.DEFAULT.name(), properties.table()).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
