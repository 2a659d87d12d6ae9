package io.github.lockstarter.kotlin

import io.github.lockstarter.DistributedLock
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono

/** The same section behind a locked method of each shape. */
open class LockedMethodShapes(private val section: GuardedSection) {

    private fun work(ending: Ending): Mono<String> = when (ending) {
        Ending.COMPLETE -> Mono.delay(Duration.ofMillis(2)).thenReturn("done")
        Ending.FAIL -> Mono.delay(Duration.ofMillis(2)).then(Mono.error(BrokenWork()))
        Ending.NEVER -> Mono.fromFuture(section.finished, true)
    }

    @DistributedLock(name = "section")
    open fun mono(ending: Ending): Mono<String> = Mono.defer {
        val entry = section.enter()
        // Not doFinally, which comes behind the release.
        work(ending).doOnTerminate(entry::leave).doOnCancel(entry::leave)
    }

    @DistributedLock(name = "section")
    open fun flux(ending: Ending): Flux<String> = Flux.defer {
        val entry = section.enter()
        Flux.just("first").concatWith(work(ending)).doOnTerminate(entry::leave).doOnCancel(entry::leave)
    }

    @DistributedLock(name = "section")
    open fun future(ending: Ending): CompletableFuture<String> {
        val entry = section.enter()
        val later = CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS)
        val work = when (ending) {
            Ending.COMPLETE -> CompletableFuture.supplyAsync({ "done" }, later)
            Ending.FAIL -> CompletableFuture.supplyAsync<String>({ throw BrokenWork() }, later)
            Ending.NEVER -> section.finished.copy()
        }
        return work.whenComplete { _, _ -> entry.leave() }
    }

    @DistributedLock(name = "section")
    open suspend fun suspending(ending: Ending): String {
        val entry = section.enter()
        try {
            return suspended(ending)
        } finally {
            entry.leave()
        }
    }

    @DistributedLock(name = "section")
    open fun flow(ending: Ending): Flow<String> = flow {
        val entry = section.enter()
        try {
            emit("first")
            emit(suspended(ending))
        } finally {
            entry.leave()
        }
    }

    private suspend fun suspended(ending: Ending): String {
        delay(2)
        return when (ending) {
            Ending.COMPLETE -> "done"
            Ending.FAIL -> throw BrokenWork()
            Ending.NEVER -> awaitCancellation()
        }
    }
}
