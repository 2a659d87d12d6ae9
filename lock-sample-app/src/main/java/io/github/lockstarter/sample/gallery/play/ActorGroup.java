package io.github.lockstarter.sample.gallery.play;

import io.github.lockstarter.sample.experiment.stage.Belongings;
import java.util.ArrayList;
import java.util.List;

/**
 * The actors A, B and C of one side. They stay over exhibits; one that was killed is replaced. For one thread, except
 * for the end.
 */
final class ActorGroup {

    static final int SIZE = 3;

    private final String side;
    private final Belongings belongings;
    private final List<ActorProcess> actors = new ArrayList<>();

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

    ActorProcess get(int index) {
        return actors.get(index);
    }

    /** Starts another one in the place of one that was killed. */
    void replace(int index) {
        actors.get(index).close();
        actors.set(index, start(index));
    }

    private ActorProcess start(int index) {
        return ActorProcess.start(side + "-" + nameOf(index), belongings);
    }
}
