package io.github.lockstarter.kotlin

import io.github.lockstarter.DistributedLock
import io.github.lockstarter.IfContended
import io.github.lockstarter.LockNotAcquiredException
import io.github.lockstarter.leader.LeaderOnly
import io.github.lockstarter.reactive.ReactiveLockOperations
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.future.future
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.withContext
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.context.annotation.Lazy

/** Suspend functions as applications write them. */
open class Orders {

    @Autowired
    @Lazy
    lateinit var self: Orders

    @Autowired
    lateinit var locks: ReactiveLockOperations

    @DistributedLock(name = "order", key = ["#id"])
    open suspend fun ship(id: Long): String {
        val handle = ReactiveLockOperations.current().awaitSingle()
        return "shipped under ${handle.key()} with ${handle.fencingToken()}"
    }

    @DistributedLock(name = "order", key = ["#id"])
    open suspend fun shipTwice(id: Long): List<String> =
        withContext(Dispatchers.IO) { listOf(self.ship(id), self.ship(id)) }

    @DistributedLock(name = "order", key = ["#id"], ifContended = IfContended.SKIP)
    open suspend fun shipIfFree(id: Long): String? = "shipped"

    @DistributedLock(name = "order", key = ["#id"], ifContended = IfContended.SKIP)
    open suspend fun confirmIfFree(id: Long) {
        ReactiveLockOperations.current().awaitSingle()
    }

    @DistributedLock(name = "order", key = ["#id"], fallbackMethod = "busy")
    open suspend fun shipOr(id: Long): String = "shipped"

    open suspend fun busy(id: Long, refusal: LockNotAcquiredException): String = "busy: ${refusal.key()} for $id"

    @DistributedLock(name = "order", key = ["#id"], fallbackMethod = "hidden")
    open suspend fun shipOrHidden(id: Long): String = "shipped"

    private suspend fun hidden(id: Long): String = "hidden: $id"

    /** Without an annotation. */
    open suspend fun programmatically(id: Long): String = locks.locked("order:$id") {
        val outer = ReactiveLockOperations.current().awaitSingle()
        val inner = locks.locked("order:$id") { ReactiveLockOperations.current().awaitSingle() }
        "shipped under ${outer.key()}, ${outer.fencingToken() == inner.fencingToken()}"
    }
}

/** As in the guide. */
suspend fun <T : Any> ReactiveLockOperations.locked(key: String, work: suspend () -> T): T =
    execute(key, mono { work() }).awaitSingle()

/** A skipped call has no String. */
open class CertainOrders {

    @DistributedLock(ifContended = IfContended.SKIP)
    open suspend fun ship(): String = "shipped"
}

open class BadFallback {

    @DistributedLock(fallbackMethod = "busy")
    open suspend fun ship(id: Long): String = "shipped"

    open suspend fun busy(id: Long): Int = 1
}

/** For the tests, which are in Java. */
fun <T> started(work: suspend () -> T): CompletableFuture<T> = CoroutineScope(Dispatchers.Default).future { work() }

/** On the leader only. */
open class LeaderOrders {

    @LeaderOnly("billing")
    open suspend fun collect(): String? = ReactiveLockOperations.current().awaitSingle().key()
}

/** Runs it for the tests in Java. */
fun collect(orders: LeaderOrders): CompletableFuture<String?> = started { orders.collect() }

class OrderCalls(private val orders: Orders) {
    fun ship() = started { orders.ship(42) }
    fun shipTwice() = started { orders.shipTwice(42) }
    fun shipIfFree() = started { orders.shipIfFree(42) }
    fun confirmIfFree() = started { orders.confirmIfFree(42) }
    fun shipOr() = started { orders.shipOr(42) }
    fun shipOrHidden() = started { orders.shipOrHidden(42) }
    fun programmatically() = started { orders.programmatically(42) }
}
