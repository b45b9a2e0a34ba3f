#!/bin/sh
printf "Dear %s,\n" "$1"
