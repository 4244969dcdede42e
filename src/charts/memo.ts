import { Component, type ComponentChildren, createElement, type FunctionComponent } from 'preact'

/** A component that is drawn again only when one of its properties is another value. */
export function memo<Properties extends object>(draw: FunctionComponent<Properties>): FunctionComponent<Properties> {
  class Memo extends Component<Properties> {
    override shouldComponentUpdate(next: Properties): boolean {
      const keys = Object.keys({ ...this.props, ...next }) as (keyof Properties)[]
      return keys.some((key) => key in next !== key in this.props || !Object.is(next[key], this.props[key]))
    }
    override render(): ComponentChildren {
      return createElement(draw, this.props as Properties)
    }
  }
  return (properties) => createElement(Memo, properties)
}
