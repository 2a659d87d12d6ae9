package io.github.lockstarter.redis.script;

import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import java.time.Duration;
import java.util.List;

/** Calls of the scripts by which instances tell each other that they are alive, and take locks over. */
public final class TakeOverScripts {

    private TakeOverScripts() {}

    /**
     * Reports to the server that an instance is alive.
     *
     * @param locks that the instance waits for, as they are stored
     */
    public static ScriptCall<List<String>> beat(
            KeySpace keySpace, String instanceId, ServerHistory history, List<String> locks) {
        String[] keys = new String[3 + locks.size()];
        keys[0] = keySpace.markOf(instanceId);
        keys[1] = keySpace.traceOf(instanceId);
        keys[2] = history.key();
        for (int i = 0; i < locks.size(); i++) {
            keys[3 + i] = locks.get(i);
        }
        return ScriptCall.ofTexts(
                LockScript.BEAT, keys, history.known(), history.terms().graceMillis(), keySpace.mailboxOf(instanceId));
    }

    /**
     * Writes a trace once more.
     *
     * @param trace its key
     * @param begin what it has to be
     * @param text what to write
     */
    public static ScriptCall<Long> acknowledge(String trace, String begin, String text) {
        return ScriptCall.ofStatus(LockScript.ACKNOWLEDGE, new String[] {trace}, begin, text);
    }

    /**
     * The reply of the beat script.
     *
     * @param marker of the server's history; empty if the server does not say which one it is
     * @param trace of the last take-over; empty if there is none
     * @param before the marker of the history before; empty if none is known
     * @param runningSeconds for how long the server has been running, perhaps one too many
     * @param subscribers of the mailbox, or the error of the server
     * @param found what is known of the owner of each lock: empty, {@link #ABANDONED}, or what is to be acknowledged
     */
    public record BeatReply(
            String marker, String trace, String before, long runningSeconds, String subscribers, List<String> found) {

        /** An attempt takes the lock over. */
        public static final String ABANDONED = "1";

        private static final int FIXED = 5;

        /** Reads the texts of a reply. */
        public static BeatReply of(List<String> texts) {
            return new BeatReply(
                    texts.get(0),
                    texts.get(1),
                    texts.get(2),
                    Long.parseLong(texts.get(3)),
                    texts.get(4),
                    texts.subList(FIXED, texts.size()));
        }

        /** For how long the server has been running, at least. */
        public Duration runningFor() {
            return Duration.ofSeconds(Math.max(0, runningSeconds - 1));
        }
    }
}
