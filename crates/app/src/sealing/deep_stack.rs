//! Runs work on bytes from strangers with a sufficiently large stack.

use crate::base::error::Error;

/// Runs work on a stranger's bytes with the same stack size that intake used for them within its memory and time
/// limits.
pub(crate) fn on_deep_stack<T: Send>(doing: &'static str, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    // Keeps its log lines in the span of the request.
    let span = tracing::Span::current();
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(document::marks::extend::STACK)
            .spawn_scoped(scope, move || span.in_scope(work))
            .map_err(|error| Error::internal(doing, error))?
            .join()
            .map_err(|_| Error::internal(doing, "the thread panicked"))
    })
}

/// Checks that every signature of a file is sound.
pub(crate) fn prove_sound(doing: &'static str, pdf: &[u8]) -> Result<(), Error> {
    let verdict = document::verify::verify_soundness(pdf);
    match verdict.unsound().next() {
        None => Ok(()),
        Some((_, fault)) => Err(Error::internal(doing, fault.clone())),
    }
}
