"""The completion script of zsh."""

from __future__ import annotations

SCRIPT = r"""#compdef kernel
# zsh completion for kernel; in ~/.zshrc after compinit: eval "$(kernel completion zsh)"
_kernel() {
    local -a lines given values head kind
    local line
    given=("${(@Q)words[1,CURRENT-1]}")
    lines=("${(@f)$("${given[1]}" completion --words zsh "${(@)given[2,-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    head=("${(@ps:\t:)lines[1]}")
    shift lines
    if [[ -n ${head[2]} ]]; then
        IPREFIX+=${head[2]}
        PREFIX=${PREFIX#"${head[2]}"}
    fi
    for line in "${(@)lines}"; do
        [[ -n $line ]] && values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    case ${head[1]} in
        files) _files ;;
        dirs) _files -/ ;;
        users) _users ;;
        hosts) _hosts ;;
        *)
            if (( ${#values} )); then
                [[ $PREFIX == -* ]] && kind=(-o)  # options are only offered behind a dash
                _describe "${(@)kind}" kernel values
            else
                [[ -n ${head[3]} ]] && _message -r "${head[3]}"
                return 1
            fi
            ;;
    esac
}
if [[ ${funcstack[1]} == _kernel ]]; then
    _kernel "$@"
else
    compdef _kernel kernel
fi
"""
