package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each form below was recorded from Redis 6.0.16, 6.2.11, 7.0.15, 8.0.2 or Valkey 9.1.2. */
class ServerErrorTests {

    private static final String SHA = "60fddfa5a7138c62851fda8f11544c8df007f570";

    /** Of a command, caught by a script and not, before 7.0, from 7.0 on, and of Valkey. */
    private static final List<String> FORMS = List.of(
            "%s",
            "@user_script: 132: -%s",
            "@user_script: 1: -%s\r\n",
            "ERR Error running script (call to f_" + SHA + "): @user_script:2: @user_script: 2: -%s",
            "%s script: " + SHA + ", on @user_script:132.",
            "%s script: on @user_script:132.");

    private static final List<String> TEXTS = List.of(
            "READONLY You can't write against a read only replica.",
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            "OOM command not allowed when used memory > 'maxmemory'.",
            "NOREPLICAS Not enough good replicas to write.",
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
            "LOADING Redis is loading the dataset in memory",
            "CLUSTERDOWN The cluster is down",
            "TRYAGAIN Multiple keys request during rehashing of slot",
            "WRONGTYPE Operation against a key holding the wrong kind of value",
            "NOPERM No permissions to access a key");

    static final List<String> REPLIES = TEXTS.stream()
            .flatMap(text -> FORMS.stream().map(form -> form.formatted(text)))
            .toList();

    @ParameterizedTest
    @FieldSource("REPLIES")
    void hasTheSameCodeAndTextOnEveryVersion(String reply) {
        ServerError error = ServerError.of(reply);
        assertThat(TEXTS).filteredOn(reply::contains).singleElement().satisfies(text -> {
            assertThat(error.text()).isEqualTo(text.replaceFirst("\\.$", ""));
            assertThat(error.code()).isEqualTo(text.substring(0, text.indexOf(' ')));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY",
                "MASTERDOWN",
                "BUSY",
                "LOADING",
                "CLUSTERDOWN",
                "TRYAGAIN",
                "NOREPLICAS",
                "MOVED",
                "ASK"
            })
    void passesWhereNobodyHasToChangeTheSetup(String code) {
        assertThat(forms(code + " any")).allMatch(ServerError::isPassing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OOM", "MISCONF", "NOPERM", "NOAUTH", "WRONGPASS", "ERR", "CROSSSLOT"})
    void errorsThatNeedAChangeAreNotPassing(String code) {
        assertThat(forms(code + " any")).noneMatch(ServerError::isPassing);
    }

    @Test
    void recognisesTheErrorsOfAReplicaOnEveryVersion() {
        assertThat(forms("READONLY You can't write")).allMatch(ServerError::isOfReplica);
        assertThat(forms("MASTERDOWN Link with MASTER is down")).allMatch(ServerError::isOfReplica);
        assertThat(forms("OOM command not allowed")).noneMatch(ServerError::isOfReplica);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM this user has no permissions to run the 'set' command or its subcommand",
                "NOPERM User u has no permissions to run the 'set' command",
                "@user_script: 2: The user executing the script can't run this command or subcommand",
                "ERR Error running script (call to f_60fddf): @user_script:2: @user_script: 2: The user executing the script"
                        + " can't run this command or subcommand",
                "ERR The user executing the script can't publish to the channel mentioned in the command script: 6948, on"
                        + " @user_script:1.",
                "ERR ACL failure in script: User u has no permissions to run the 'set' command script: on @user_script:2."
            })
    void isAMissingRightInsideAScriptToo(String reply) {
        assertThat(ServerError.of(reply).isMissingRight()).isTrue();
        assertThat(ServerError.of(reply).text()).doesNotContain("user_script", "script: 6948");
    }

    /** Of Redis 6 and 7, and of Dragonfly as documented. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR Error running script (call to f_60fddf): @user_script:255: user_script:255: attempt to call field"
                        + " 'set_repl' (a nil value)",
                "ERR user_script:255: attempt to call field 'set_repl' (a nil value) script: 60fddf, on @user_script:255.",
                "Error running script (call to 60fddf): @user_script:248: attempt to call a nil value (field 'set_repl')"
            })
    void isAFailureOfLuaItself(String reply) {
        assertThat(ServerError.of(reply).isOfLua()).isTrue();
        assertThat(REPLIES).noneMatch(other -> ServerError.of(other).isOfLua());
    }

    @Test
    void hasAnEmptyCodeWhenTheServerSendsNone() {
        assertThat(ServerError.of("@user_script: 1: Unknown Redis command called from Lua script\r\n"))
                .isEqualTo(new ServerError("ERR", "Unknown Redis command called from Lua script"));
        assertThat(ServerError.of("")).isEqualTo(new ServerError("ERR", ""));
        assertThat(ServerError.of("TRYAGAIN").code()).isEqualTo("TRYAGAIN");
    }

    @Test
    void doesNotQuoteArguments() {
        assertThat(ServerError.of("ERR unknown command 'EVALSHA', with args beginning with: '1' 'secret'  ")
                        .text())
                .isEqualTo("ERR unknown command 'EVALSHA'");
        assertThat(ServerError.of("ERR unknown command `EVALSHA`, with args beginning with: `1`, `secret`, ")
                        .text())
                .isEqualTo("ERR unknown command `EVALSHA`");
    }

    private static Stream<ServerError> forms(String text) {
        return FORMS.stream().map(form -> ServerError.of(form.formatted(text)));
    }
}
