package io.github.lockstarter.kotlin

import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.flow.last
import kotlinx.coroutines.future.future

/** How a locked method is called. Cancelling the future cancels what the caller has. */
enum class Shape(private val call: (LockedMethodShapes, Ending) -> CompletableFuture<String>) {
    MONO({ methods, ending -> methods.mono(ending).toFuture().nonNull() }),
    FLUX({ methods, ending -> methods.flux(ending).last().toFuture().nonNull() }),
    FUTURE({ methods, ending -> methods.future(ending) }),
    SUSPEND({ methods, ending -> scope.future { methods.suspending(ending) } }),
    FLOW({ methods, ending -> scope.future { methods.flow(ending).last() } });

    fun start(methods: LockedMethodShapes, ending: Ending): CompletableFuture<String> = call(methods, ending)
}

private val scope = CoroutineScope(Dispatchers.Default + SupervisorJob())

/** To Kotlin, a Mono may be empty. */
@Suppress("UNCHECKED_CAST")
private fun CompletableFuture<String?>.nonNull() = this as CompletableFuture<String>
