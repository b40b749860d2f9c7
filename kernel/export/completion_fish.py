"""The completion script of fish."""

from __future__ import annotations

SCRIPT = r"""# fish completion for kernel; in ~/.config/fish/config.fish: kernel completion fish | source
function __kernel_complete
    set -l given (commandline -opc)
    set -l current (commandline -ct)
    set -l program $given[1]
    set -e given[1]
    set -l lines ($program completion --words fish $given "$current" 2>/dev/null)
    set -l head (string split \t -- $lines[1])
    set -e lines[1]
    for line in $lines
        echo -- $head[2]$line
    end
    set -l begun (string sub -s (math 1 + (string length -- "$head[2]")) -- "$current")
    switch "$head[1]"
        case files
            __fish_complete_path $begun | string replace -r '^' -- "$head[2]"
        case dirs
            __fish_complete_directories $begun '' | string replace -r '^' -- "$head[2]"
        case users
            __fish_complete_users | string replace -r '^' -- "$head[2]"
        case hosts
            __fish_print_hostnames | string replace -r '^' -- "$head[2]"
    end
end
complete -c kernel -f -a '(__kernel_complete)'
"""
