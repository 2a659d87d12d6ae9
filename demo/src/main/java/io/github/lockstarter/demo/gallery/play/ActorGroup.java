package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.experiment.stage.Belongings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The actors A, B and C of one side. They stay over exhibits; one that was killed is replaced. For one thread, except
 * for the end.
 */
final class ActorGroup {

    static final int SIZE = 3;

    private final String side;
    private final Belongings belongings;
    private final List<@Nullable ActorProcess> actors = new ArrayList<>();

    /**
     * Starts them; they need not be ready when this returns.
     *
     * @param side name of the side, for messages
     * @param belongings is given each
     */
    ActorGroup(String side, Belongings belongings) {
        this.side = side;
        this.belongings = belongings;
        for (int index = 0; index < SIZE; index++) {
            actors.add(start(index));
        }
    }

    /** The letter of an actor. */
    static String nameOf(int index) {
        return Character.toString('A' + index);
    }

    /** The actor in a place: another one when the last one was dismissed. */
    ActorProcess get(int index) {
        ActorProcess actor = actors.get(index);
        if (actor == null) {
            actor = start(index);
            actors.set(index, actor);
        }
        return actor;
    }

    /** Ends one that was killed. */
    void dismiss(int index) {
        get(index).close();
        actors.set(index, null);
    }

    private ActorProcess start(int index) {
        return ActorProcess.start(side + "-" + nameOf(index), belongings);
    }
}
