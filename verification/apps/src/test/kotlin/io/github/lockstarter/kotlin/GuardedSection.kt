package io.github.lockstarter.kotlin

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger

/** How the work of a locked method ends. */
enum class Ending { COMPLETE, FAIL, NEVER }

class BrokenWork : RuntimeException("the work failed")

/** What locked methods do: counts how many are inside at a time. Thread-safe. */
class GuardedSection {

    private val inside = AtomicInteger()
    private val most = AtomicInteger()
    private val entries = AtomicInteger()

    /** Completed by a test that lets the work end which never ends by itself. */
    val finished = CompletableFuture<String>()

    /** One entry, which is left once, however often it is said. */
    inner class Entry {

        private val left = AtomicBoolean()

        fun leave() {
            if (left.compareAndSet(false, true)) {
                inside.decrementAndGet()
            }
        }
    }

    fun enter(): Entry {
        entries.incrementAndGet()
        most.accumulateAndGet(inside.incrementAndGet(), Math::max)
        return Entry()
    }

    fun inside(): Int = inside.get()

    fun mostInside(): Int = most.get()

    fun entries(): Int = entries.get()
}
