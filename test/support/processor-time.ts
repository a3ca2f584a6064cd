/** Processor time of this process since it was asked for: a busy machine makes it no longer, as it does the time on the clock. */

/** Starts to count; the function that comes back tells the ms so far. */
export const processorTime = (): (() => number) => {
  const started = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
}
