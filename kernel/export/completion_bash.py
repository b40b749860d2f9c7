"""The completion script of bash."""

from __future__ import annotations

SCRIPT = r"""# bash completion for kernel; in ~/.bashrc: eval "$(kernel completion bash)"
_kernel_completion() {
    local rest=${COMP_LINE:0:COMP_POINT} piece='' word line source='' prefix='' i last=-1 first=1
    local -a words
    words=()
    # readline cuts words at = and : as well; what no blank parts is one word
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((last < 0)) || [[ $rest == [[:space:]]* || $rest != "${word:0:1}"* ]]; then
            rest=${rest#"${rest%%[![:space:]]*}"}
            ((last += 1))
            words[last]=''
        fi
        ((i == COMP_CWORD)) && word=$rest
        words[last]+=$word
        rest=${rest#"$word"}
        piece=$word
    done
    [[ $piece == [=:] ]] && piece=''
    local before=${words[last]%"$piece"}
    COMPREPLY=()
    while IFS= read -r line; do
        if ((first)); then
            first=0
            source=${line%%$'\t'*} prefix=${line#*$'\t'}
            prefix=${prefix%%$'\t'*}
            continue
        fi
        printf -v word '%s%q' "$prefix" "${line%%$'\t'*}"
        word=${word#"$before"}
        # descriptions only where the candidates are listed, never where one is inserted
        [[ ${COMP_TYPE:-9} == 63 && -n ${line#*$'\t'} ]] && word+="  (${line#*$'\t'})"
        COMPREPLY+=("$word")
    done < <("${words[0]}" completion --words bash "${words[@]:1}" 2>/dev/null)
    case $source in
        files) compopt -o default ;;
        dirs) compopt -o dirnames ;;
        users) COMPREPLY+=($(compgen -u -- "$piece")) ;;
        hosts) COMPREPLY+=($(compgen -A hostname -- "$piece")) ;;
    esac
}
complete -F _kernel_completion kernel
"""
