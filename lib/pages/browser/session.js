/* Reads the state of the page's session every 2 seconds, for ten minutes, and shows the outcome. */
const PAUSE = 2_000
const END = Date.now() + 10 * 60_000

const outcomes = [...document.querySelectorAll('[data-outcome]')]
let shown = outcomes.find(({ hidden }) => !hidden)?.dataset.outcome ?? 'open'

const show = (name) => {
  const ways = document.querySelector('[data-ways]')
  if (ways) ways.hidden = true
  for (const outcome of outcomes) outcome.hidden = outcome.dataset.outcome !== name
  shown = name
}

/** The state that is already shown if the service is unavailable: the next try may succeed. */
const readState = async () => {
  try {
    const response = await fetch(location.href, { headers: { accept: 'application/json' } })
    if (response.status === 404) return shown === 'open' ? 'late' : shown
    return response.ok ? (await response.json()).state : shown
  } catch {
    return shown
  }
}

/** Whether another state may follow. */
const goesOn = () => outcomes.find(({ dataset }) => dataset.outcome === shown)?.dataset.goesOn !== undefined

const look = async () => {
  const state = await readState()
  if (state !== shown) show(state)
  if (shown !== 'open' && !goesOn()) return
  if (Date.now() < END) setTimeout(look, PAUSE)
  else if (shown === 'open') show('idle')
}

setTimeout(look, PAUSE)
